import { isAutomaticLabel } from "../../shared/label";
import { readTimestamp } from "../../shared/timestamp";
import { ifUnavailable, listOf } from "../context";
import type { OperationContext } from "../definition";
import { heldHere, unheld } from "../holders";
import type { LifecycleInputs, Snapshot, Values, View } from "../model";
import { describe, fingerprintOf, hasOwnMark, isFree } from "./ownership";
import { candidatesIn } from "./unresolved";

type Context = OperationContext<LifecycleInputs>;

/** A proxy sends a request again when it has waited for minutes at most. */
const twinsWithinMs = 600_000;

/** What a proxy may have made by sending the create of a resource twice. */
export interface Twin {
  view: View;
  /** Whether it has for certain: a label in the style of ours that a person chose may be a copy of another's. */
  isCertain: boolean;
}

/**
 * What a proxy may have made by sending the create of this one twice, and no state holds: it has the same automatic label, and was not
 * created at another time.
 */
export async function findTwins(context: OperationContext<object>, id: string): Promise<Twin[]> {
  const inputs: Values = { ...context.inputs };
  const { label } = inputs;
  if (!context.definition.post || !isAutomaticLabel(label)) return [];
  const snapshot = await listOf(context).latest().catch(ifUnavailable);
  if (!snapshot) return [];
  const own = snapshot.isUnreadable(id) ? undefined : snapshot.find(id, label);
  const createdAt = own?.createdAt ?? inputs["createdAt"];
  const twins = await unheld(context, twinsIn({ ...context, inputs }, snapshot, { id, createdAt }));
  return twins.map((view) => ({
    view,
    isCertain: hasOwnMark({ ...context, inputs }) || isAtOneTime(view, createdAt) === true,
  }));
}

function twinsIn(
  context: OperationContext<{ label?: unknown }>,
  snapshot: Snapshot<unknown>,
  { id, createdAt }: { id: string; createdAt?: unknown },
): View[] {
  const { label } = context.inputs;
  if (!isAutomaticLabel(label)) return [];
  const isOpen = (view: View) => view.id !== id && isFree(context, view) && isAtOneTime(view, createdAt) !== false;
  return snapshot.withLabel(label).filter(isOpen);
}

/** Whether it was created when the other one was, as one request that was sent twice does it. Undefined where that is not known. */
export function isAtOneTime({ createdAt: own }: { createdAt?: unknown }, createdAt: unknown): boolean | undefined {
  const [one, other] = [readTimestamp(own), readTimestamp(createdAt)];
  return one === undefined || other === undefined ? undefined : Math.abs(other - one) <= twinsWithinMs;
}

/** A proxy that repeats a request makes twins, which no state would know of: they are named, and destroy ends them. */
export async function warnOfTwins(context: Context, view: View): Promise<void> {
  const { label } = context.inputs;
  if (!context.definition.post) return;
  const snapshot = context.inputs.waitForReady
    ? await listOf(context)
        .latest()
        .catch(() => undefined)
    : undefined;
  if (label === undefined || !hasOwnMark(context)) {
    if (snapshot) await nameLookalikes(context, snapshot, view);
    return;
  }
  for (const twin of snapshot ? twinsIn(context, snapshot, view) : []) {
    context.runtime.engine.warn(
      context.urn,
      `${describe(context, twin)} was created by the same request and bills, too. \`pulumi destroy\` ends both; \`gpufleet orphans\` lists it.`,
    );
  }
}

/** Without a label of its own nothing proves it: what came up beside it is named, and that is all. */
async function nameLookalikes(context: Context, snapshot: Snapshot<unknown>, view: View): Promise<void> {
  const { inputs, runtime, urn } = context;
  const before = runtime.memory.idsBefore(urn);
  if (!before) return;
  const made = { fingerprint: fingerprintOf(context), isProof: false, idsBefore: [...before], asked: { ...inputs } };
  const isHeld = await heldHere(context);
  for (const twin of candidatesIn(context, snapshot, made, (one) => one.id === view.id || isHeld(one))) {
    runtime.engine.warn(
      urn,
      `${describe(context, twin)} came up at the same time and bills, too. If nobody else has rented it, a proxy has sent the request twice: end it in the service's console.`,
    );
  }
}
