import { asInProgram } from "../context";
import type { OperationContext, ResourceDefinition } from "../definition";
import { type Runtime, unresolvedFingerprint, type Values } from "../model";

/** Notes what a replacement would lose, of a resource that is being compared: whether it is replaced is for the engine to decide. */
export function noteContents(
  { contents, noun }: ResourceDefinition,
  runtime: Runtime,
  urn: string,
  { id, state }: { id: string; state: Values },
): void {
  const lost = unresolvedFingerprint(id) === undefined ? contents?.(runtime, urn, state) : undefined;
  runtime.memory.noteLoss(
    urn,
    lost && `replacing this ${noun} deletes ${lost.what}, unless retainOnDelete is set. ${lost.keep}.`,
  );
}

/**
 * Warns of what a replacement loses. Once it has decided to replace something, and not before, the engine asks for the inputs of
 * what takes its place as if there were none yet. It does so in a preview, too, and for `replaceOnChanges`.
 */
export function warnOfReplacement({ engine, memory }: Runtime, urn: string): void {
  const warning = memory.takeLoss(urn);
  if (warning === undefined) return;
  memory.note(urn, announced, true);
  engine.warn(urn, warning);
}

/** Says what goes with a resource that is deleted, unless the replacement that deletes it was announced. */
export function sayWhatIsLost(context: OperationContext, id: string, state: Values): void {
  const { definition, runtime, urn } = context;
  const inProgram = asInProgram(context, id).urn;
  const lost = definition.contents?.(runtime, inProgram, state);
  const said = `${announced} of ${id}`;
  if (!lost || [announced, said].some((note) => runtime.memory.noted(inProgram, note))) return;
  runtime.memory.note(inProgram, said, true);
  runtime.engine.warn(urn, `this deletes ${lost.what}`);
}

const announced = "loss announced";
