import { isDefaultProvider, unresolvedFingerprint } from "../../provider/lifecycle";
import { nameOf, providerIn, readUrn } from "../../provider/shared/urn";
import { gpufleetType, type StateResource, stackType } from "../stack";
import type { Preview, Step, StepState } from "./readPreview";

export type ChangeOp = "create" | "replace" | "update" | "delete" | "same";

/** What happens to one resource. */
export interface Change {
  op: ChangeOp;
  urn: string;
  /** The type as programs write it. */
  type: string;
  /** `BareMetalRental`, for a resource of this provider. */
  gpufleetType: string | undefined;
  name: string;
  /** As the state has it. */
  before: StepState | undefined;
  /** As the program wants it. */
  after: StepState | undefined;
  /** Whether it goes from the state but stays in the world. */
  retained: boolean;
  /** Whether it is taken over as it runs: by the input `adoptId`, or by an import. */
  adopts: boolean;
  /** `<urn of the provider>::<id of the provider>` */
  provider: string | undefined;
  /** The properties because of which it is replaced or updated, as the engine tells them. */
  reasons: readonly string[];
}

const ops: Readonly<Record<string, ChangeOp>> = {
  create: "create",
  import: "create",
  replace: "replace",
  "create-replacement": "replace",
  "import-replacement": "replace",
  update: "update",
  delete: "delete",
  "delete-replaced": "delete",
  same: "same",
};

/** Every resource of the preview with what happens to it, the stack itself and providers left out. */
export function changesOf(preview: Preview): Change[] {
  const steps = preview.steps ?? [];
  const start = programStart(steps);
  const refreshed = new Map<string, Step>();
  for (const step of steps.slice(0, start)) refreshed.set(step.urn, step);
  const byUrn = new Map<string, Step[]>();
  for (const step of steps.slice(start)) byUrn.set(step.urn, [...(byUrn.get(step.urn) ?? []), step]);
  const changes = [...byUrn.values()].flatMap(changesOfOne);
  const unchanged = [...refreshed.values()]
    .filter(({ urn, op }) => !byUrn.has(urn) && op !== "delete")
    .map((step) => toChange("same", { ...step, oldState: step.newState ?? step.oldState }));
  return [...changes, ...unchanged].filter(isOfTheProgram);
}

/** The same, and what no preview shows: what was replaced and waits for its end, and, without `--show-sames`, what is unchanged. */
export function everyChange(preview: Preview, resources: Iterable<StateResource>): Change[] {
  const changes = changesOf(preview);
  const isAllShown = countNotShown(preview, changes) === 0;
  return [...changes, ...unshownIn(resources, changes).filter(({ op }) => op === "delete" || !isAllShown)];
}

/** What the state has and these changes do not show, as changes that are none. What waits for its end is ended by the next run. */
function unshownIn(resources: Iterable<StateResource>, changes: readonly Change[]): Change[] {
  const shown = new Set(changes.map(({ urn }) => urn));
  const shownIds = new Set(changes.map(({ urn, before }) => idOf(urn, before?.id)));
  return [...resources]
    .filter(({ urn, id, delete: waits }) => !(waits ? shownIds.has(idOf(urn, id)) : shown.has(urn)))
    .map((resource) => {
      const { urn, type, custom, id, provider, retainOnDelete, inputs = {}, outputs = {} } = resource;
      const state = { type, custom, id, provider, retainOnDelete, inputs, outputs };
      // Whether an unresolved one is anything at all is not known: the next run says so, and ends nothing.
      const op = resource.delete && unresolvedFingerprint(id ?? "") === undefined ? "delete" : "same";
      return toChange(op, { op, urn, oldState: state, newState: state });
    })
    .filter(isOfTheProgram);
}

function idOf(urn: string, id = ""): string {
  return `${urn}::${id}`;
}

function isOfTheProgram({ type }: { type: string }): boolean {
  return type !== stackType && !type.startsWith("pulumi:providers:");
}

/** How many unchanged resources the preview has counted but not shown: it does so only with `--show-sames`. */
export function countNotShown(preview: Preview, changes: readonly Change[]): number {
  const shown = changes.filter(({ op }) => op === "same").length;
  // The engine counts the stack and explicit providers, too.
  const others = (preview.steps ?? []).filter((step) => step.op === "same" && !isOfTheProgram({ type: typeOf(step) }));
  return Math.max(0, (preview.changeSummary?.["same"] ?? 0) - shown - new Set(others.map(({ urn }) => urn)).size);
}

/** Whether the program has given it a provider: then the settings of the stack are not for it. */
export function hasExplicitProvider({ gpufleetType, provider }: Change): boolean {
  return gpufleetType !== undefined && provider !== undefined && !isDefaultProvider(providerIn(provider));
}

/** `{project, stack}` from any URN. */
export function identityOf(preview: Preview): { project: string; stack: string } | undefined {
  const { stack, project } = readUrn(preview.steps?.[0]?.urn ?? "");
  return stack && project ? { project, stack } : undefined;
}

/**
 * A preview begins with the refresh of everything (`refresh: always`), of its targets, or of what a plugin wants to be refreshed first. What
 * that found gone or changed looks like a step of the program, which begins with the stack; the stack may have been refreshed before.
 */
function programStart(steps: readonly Step[]): number {
  if (!steps.some(({ op }) => op === "refresh")) return 0;
  const start = steps.findIndex((step) => typeOf(step) === stackType && step.op !== "refresh");
  return start < 0 ? steps.length : start;
}

function changesOfOne(steps: readonly Step[]): Change[] {
  const replace = steps.find(({ op }) => op === "replace") ?? steps.find(({ op }) => ops[op] === "replace");
  if (replace) {
    const deleted = steps.find(({ op }) => op === "delete-replaced");
    return [toChange("replace", { ...replace, oldState: replace.oldState ?? deleted?.oldState })];
  }
  return steps.flatMap((step) => {
    const op = ops[step.op];
    return op ? [toChange(op, step)] : [];
  });
}

function toChange(op: ChangeOp, step: Step): Change {
  const type = typeOf(step);
  return {
    op,
    urn: step.urn,
    type,
    gpufleetType: gpufleetType({ type }),
    name: nameOf(step.urn),
    before: op === "create" ? undefined : (step.oldState ?? undefined),
    after: op === "delete" ? undefined : (step.newState ?? undefined),
    retained: step.oldState?.retainOnDelete === true && (op === "delete" || op === "replace"),
    adopts: (op === "create" || op === "replace") && adoptsIn(step),
    provider: (step.newState ?? step.oldState)?.provider,
    reasons: step.replaceReasons ?? step.diffReasons ?? [],
  };
}

function adoptsIn({ op, newState }: Step): boolean {
  return op.startsWith("import") || newState?.inputs["adoptId"] !== undefined;
}

function typeOf({ urn, newState, oldState }: Step): string {
  return newState?.type ?? oldState?.type ?? readUrn(urn).type;
}
