import { RefusedError } from "../../../provider/lifecycle";
import { showDuration } from "../../../provider/shared/duration";
import {
  gpufleetType,
  handlerOf,
  type PendingOperation,
  pendingOf,
  resourcesOf,
  rootOf,
  type State,
  type StateResource,
  titleOf,
} from "../../stack";
import type { ReadInputs } from "./decryptedInputs";
import {
  asEntryOf,
  insertEntry,
  integrityProblems,
  isSameEntry,
  placementOf,
  withoutDelete,
  withoutEntries,
} from "./insertEntry";
import type { ManagedResource } from "./managedResource";
import { findOutcome, type Outcome, type Search, type UnresolvedCreate } from "./outcome";
import { createdEntry, unresolvedEntry } from "./stateEntry";
import { endWhatIsLost } from "./twin";
import { isUnresolved } from "./unresolvedCreate";

/** What happens to one pending operation. */
export interface Decision {
  /** For people. */
  line: string;
  /** What goes into the state for it. */
  entry?: StateResource;
  /** What goes out of the state. */
  removed?: readonly StateResource[];
  /** What was to be deleted, and now stays. */
  restored?: readonly StateResource[];
}

export interface Plan {
  lines: string[];
  /** The state as it is to be. */
  after: State;
}

/** A pending operation of this provider. */
export interface PendingResource {
  operation: PendingOperation;
  managed: ManagedResource;
}

/** The pending operations, by who can resolve them. */
export interface Pending {
  /** With their inputs decrypted. */
  ours: readonly PendingResource[];
  /** Creates of other providers, which only a person can resolve. */
  foreignCreates: readonly PendingOperation[];
  /** Other operations of other providers, on resources that the state has anyway. */
  foreignOthers: readonly PendingOperation[];
}

export function sortPending(state: State, readInputs: ReadInputs): Pending {
  const ours: PendingResource[] = [];
  const foreign: PendingOperation[] = [];
  for (const operation of pendingOf(state)) {
    const { resource } = operation;
    const handler = handlerOf(gpufleetType(resource));
    if (handler) ours.push({ operation, managed: { handler, resource, inputs: readInputs(resource) } });
    else foreign.push(operation);
  }
  const isCreate = ({ type }: PendingOperation) => type === "creating";
  return {
    ours,
    foreignCreates: foreign.filter(isCreate),
    foreignOthers: foreign.filter((operation) => !isCreate(operation)),
  };
}

/** `stack import` drops every pending operation, so none may be ignored. */
export function refuseForeign({ foreignCreates }: Pending): void {
  if (foreignCreates.length === 0) return;
  const named = foreignCreates.map(({ resource }) => `${resource.urn} (${resource.type})`).join(", ");
  throw new RefusedError(
    `refused, and nothing was changed: the creation of ${named} was interrupted, too, and it belongs to another provider. Resolve it first (\`pulumi refresh\` asks about each), or pass --force to drop it from the state: what it may have created is then in no state.`,
  );
}

/** Decides on each pending operation. All are looked for at once, so that the lists' lag is waited for once. */
export async function planPending(
  search: Search,
  state: State,
  { ours, foreignCreates, foreignOthers }: Pending,
): Promise<Decision[]> {
  const own = await Promise.all(
    ours.map(async ({ operation, managed }) =>
      operation.type === "creating"
        ? decideCreate(search, state, managed, await findOutcome(search, managed))
        : decideOther(state, operation),
    ),
  );
  return [
    ...own,
    ...foreignCreates.map(({ resource }) => ({
      line: `${resource.urn}: dropped because of --force. What it may have created is in no state.`,
    })),
    ...foreignOthers.map((operation) => decideOther(state, operation)),
  ];
}

function decideCreate({ runtime }: Search, state: State, managed: ManagedResource, outcome: Outcome): Decision {
  const title = titleOf(managed.resource);
  const now = new Date(runtime.clock.now());
  switch (outcome.kind) {
    case "notCreated": {
      const window = showDuration(runtime.settings.listLagMs);
      return {
        line: `${title}: was not created: ${outcome.reason} (looked for ${window}). ${describeRest(state, managed.resource.urn)}`,
      };
    }
    case "unresolved": {
      const entry = unresolvedEntry(managed, outcome, runtime);
      return { entry, line: `${title}: ${describeUnresolved(state, entry, outcome)}` };
    }
    case "created": {
      const entry = createdEntry(managed, outcome, now);
      const line = `${title}: ${outcome.description} ${describePlacement(state, entry)}${waiting(outcome)}`;
      return { entry, line };
    }
  }
}

/** What is not known must cost nobody a machine: the one that the state has stays, until a person has settled the create. */
function describeUnresolved(state: State, entry: StateResource, { reason, isListed }: UnresolvedCreate): string {
  const placement = placementOf(resourcesOf(state), entry);
  if (placement.kind !== "beside") {
    return `it is unknown what was created, so it is added to the state as ${entry.id}, and \`pulumi up\` creates no other one until this is settled. ${reason}`;
  }
  const { current } = placement;
  if (isUnresolved(current)) {
    return `it is unknown what was created, and what an earlier create of it has created is not known either. So ${entry.id} is added to the state beside the earlier one, and \`pulumi up\` creates no other one until both are settled. ${reason}`;
  }
  const choice = isListed ? ` ${oneOfTwo}` : "";
  return `${current.id} stays in the state as it is. Whether the interrupted run has created another one is unknown, so ${entry.id} is added beside it: until this is settled, \`pulumi up\` creates no other one and ends with an error that says so. ${reason}${choice}`;
}

/** What --adopt does where the state has another machine of the resource. */
export const oneOfTwo =
  "With --adopt, one of the two is kept and the next `pulumi up` deletes the other: --dry-run shows which, and what is lost with it.";

/** What the next update does about a resource whose interrupted create is dropped. */
export function describeRest(state: State, urn: string): string {
  const rest = resourcesOf(state).filter((one) => one.urn === urn && !isUnresolved(one));
  const current = rest.find((one) => !one.delete);
  if (current?.pendingReplacement) {
    return `${current.id}, which it was to replace, is deleted already: the next \`pulumi up\` creates the new one.`;
  }
  if (current) return `${current.id} stays in the state as it is.`;
  const doomed = rest.map(({ id }) => id).join(" and ");
  return `The next \`pulumi up\` creates it${doomed && `, and deletes ${doomed}, which it was to replace`}.`;
}

/** What happens to an entry in the state, for people. */
export function describePlacement(state: State, entry: StateResource): string {
  const placement = placementOf(resourcesOf(state), entry);
  switch (placement.kind) {
    case "new":
      return "is added to the state.";
    case "known":
      return "is already in the state.";
    case "leftover":
      return `is added to the state and deleted by the next \`pulumi up\`: ${placement.current.id} was created after it.`;
    case "beside":
      return `is added to the state beside ${placement.current.id}, which stays.`;
    case "successor":
      return `is added to the state in place of ${placement.current.id}.`;
    case "replacement":
      return `is added to the state in place of ${placement.current.id}, which the next \`pulumi up\` deletes.`;
  }
}

export function waiting({ isPending }: { isPending: boolean }): string {
  return isPending ? " It is not ready yet: the next `pulumi up` waits for it." : "";
}

/** Any other interrupted operation was on something that the state has. */
function decideOther(state: State, { type, resource }: PendingOperation): Decision {
  const title = titleOf(resource);
  const isHeld = resourcesOf(state).some((one) => isSameEntry(one, resource));
  if (isHeld) {
    return {
      line: `${title}: ${type} it was interrupted. It is still in the state; \`pulumi up --refresh\` continues from there.`,
    };
  }
  if (type !== "deleting") return { line: `${title}: ${type} it was interrupted, which creates nothing. Dropped.` };
  return {
    entry: { ...resource, delete: true },
    line: `${title}: deleting it was interrupted. ${resource.id} is put back into the state, and the next \`pulumi up\` deletes it.`,
  };
}

/** The state that the decisions lead to. Refuses one that the engine would not take. */
export function planFrom(state: State, decisions: readonly Decision[], place = ""): Plan {
  const found = decisions.flatMap(({ entry }) => (entry ? [entry] : []));
  const lines = decisions.map(({ line }) => line);
  if (found.length > 0 && !rootOf(state)) throw refuseEmpty(found, lines, place);
  const entries = found.map((entry) => asEntryOf(state, entry, found));
  const removed = decisions.flatMap((decision) => decision.removed ?? []);
  const restored = decisions.flatMap((decision) => decision.restored ?? []);
  const kept = withoutDelete(withoutEntries(resourcesOf(state), removed), restored);
  const resources = entries.reduce<StateResource[]>(insertEntry, kept);
  const problems = integrityProblems(resources);
  if (problems.length > 0) {
    throw new RefusedError(
      `refused, and nothing was changed: the resulting state would be invalid: ${problems.join("; ")}. What this would have done: ${lines.join(" ")}`,
    );
  }
  const { pending_operations: _resolved, ...deployment } = state.deployment;
  return {
    lines,
    after: { ...state, deployment: { ...deployment, resources } },
  };
}

/** A destroy takes the stack itself out of the state, but no record of a create that was interrupted. */
function refuseEmpty(found: readonly StateResource[], lines: readonly string[], place: string): RefusedError {
  const ends = found.flatMap((entry) =>
    isUnresolved(entry) || entry.id === undefined ? [] : [endWhatIsLost(gpufleetType(entry) ?? "", entry.id, place)],
  );
  const next = ends.length > 0 ? ` ${ends.join(" ")} Then run this again.` : "";
  return new RefusedError(
    `refused, and nothing was changed: the state is empty, as after \`pulumi destroy\`, so nothing can be added to it. What this would have done: ${lines.join(" ")}${next}`,
  );
}
