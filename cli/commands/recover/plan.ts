import { nameOf, RefusedError, showDuration } from "../../../provider/lifecycle";
import {
  gpufleetType,
  type PendingOperation,
  pendingOf,
  resourcesOf,
  type State,
  type StateResource,
} from "../../stack";
import type { OpenInputs } from "./decryptedInputs";
import { place, placementOf, problemsOf } from "./insertEntry";
import { handlerOf, type Subject, titleOf } from "./managedResource";
import { findOutcome, type Outcome, type Search } from "./outcome";
import { madeEntry, unresolvedEntry } from "./stateEntry";

/** What becomes of one pending operation. */
export interface Decision {
  /** For people. */
  line: string;
  /** What goes into the state for it. */
  entry?: StateResource;
}

export interface Plan {
  lines: string[];
  /** The state as it is to be. */
  after: State;
}

/** The pending operations, sorted by who can settle them. */
export interface Pending {
  /** With their inputs in the open. */
  ours: readonly { operation: PendingOperation; subject: Subject }[];
  /** Creates of other providers, which only a person can settle. */
  foreignCreates: readonly PendingOperation[];
  /** What other providers have begun with resources that the state holds anyway. */
  foreignOthers: readonly PendingOperation[];
}

export function sortPending(state: State, openInputs: OpenInputs): Pending {
  const ours: { operation: PendingOperation; subject: Subject }[] = [];
  const foreign: PendingOperation[] = [];
  for (const operation of pendingOf(state)) {
    const { resource } = operation;
    const handler = handlerOf(resource);
    if (handler) ours.push({ operation, subject: { handler, resource, inputs: openInputs(resource) } });
    else foreign.push(operation);
  }
  const isCreate = ({ type }: PendingOperation) => type === "creating";
  return {
    ours,
    foreignCreates: foreign.filter(isCreate),
    foreignOthers: foreign.filter((operation) => !isCreate(operation)),
  };
}

/** `stack import` drops every pending operation, so there is none that may be passed over. */
export function refuseForeign({ foreignCreates }: Pending): void {
  if (foreignCreates.length === 0) return;
  const named = foreignCreates.map(({ resource }) => `${resource.urn} (${resource.type})`).join(", ");
  throw new RefusedError(
    `refused, and nothing was changed: the creation of ${named} was interrupted too, and that belongs to another provider. Settle it first (\`pulumi refresh\` asks about each), or pass --force to drop it from the state as \`pulumi stack import\` does: what it may have made is then in no state.`,
  );
}

/** Decides on each pending operation. All are looked for at once, so that the window passes once. */
export async function planPending(
  search: Search,
  state: State,
  { ours, foreignCreates, foreignOthers }: Pending,
): Promise<Decision[]> {
  const own = await Promise.all(
    ours.map(async ({ operation, subject }) =>
      operation.type === "creating"
        ? decideCreate(search, state, subject, await findOutcome(search, subject))
        : decideOther(state, operation),
    ),
  );
  return [
    ...own,
    ...foreignCreates.map(({ resource }) => ({
      line: `${resource.urn}: dropped, because of --force. What its interrupted create may have made is in no state.`,
    })),
    ...foreignOthers.map((operation) => decideOther(state, operation)),
  ];
}

function decideCreate({ runtime }: Search, state: State, subject: Subject, outcome: Outcome): Decision {
  const title = titleOf(subject.resource);
  const now = new Date(runtime.clock.now());
  switch (outcome.is) {
    case "nothing": {
      const window = showDuration(runtime.settings.reconcileSeconds * 1000);
      return {
        line: `${title}: nothing to take over: ${outcome.because} (looked for ${window}). The next \`pulumi up\` makes it.`,
      };
    }
    case "unresolved": {
      const entry = unresolvedEntry(subject, outcome.trace, now);
      return {
        entry,
        line: `${title}: what was made cannot be told: ${outcome.because}. It goes into the state as ${entry.id}, and \`pulumi up\` does not make another one before that is settled. If you know which one it is: gpufleet recover --adopt ID --urn '${entry.urn}'`,
      };
    }
    case "made": {
      const entry = madeEntry(subject, outcome, now);
      return { entry, line: `${title}: ${outcome.description} ${placed(state, entry)}${waiting(outcome)}` };
    }
  }
}

/** What happens to an entry in the state, for people. */
export function placed(state: State, entry: StateResource): string {
  const placement = placementOf(resourcesOf(state), entry);
  switch (placement.as) {
    case "new":
      return "goes into the state.";
    case "known":
      return "is in the state already.";
    case "leftover":
      return `goes into the state to be ended by the next \`pulumi up\`: ${placement.besides.id} was made after it.`;
    case "successor":
      return `goes into the state in place of ${placement.of.id}.`;
    case "replacement":
      return `goes into the state in place of ${placement.of.id}, which the next \`pulumi up\` ends.`;
  }
}

export function waiting({ isPending }: { isPending: boolean }): string {
  return isPending ? " It is not ready yet: the next `pulumi up` goes on waiting." : "";
}

/** Whatever else was interrupted was done to something that the state holds. */
function decideOther(state: State, { type, resource }: PendingOperation): Decision {
  const title = gpufleetType(resource) ? titleOf(resource) : `${resource.type} "${nameOf(resource.urn)}"`;
  const isHeld = resourcesOf(state).some(({ urn, id }) => urn === resource.urn && id === resource.id);
  if (isHeld) {
    return {
      line: `${title}: ${type} it was interrupted. It is still in the state; \`pulumi up --refresh\` goes on from there.`,
    };
  }
  if (type !== "deleting") return { line: `${title}: ${type} it was interrupted, which makes nothing. Dropped.` };
  return {
    entry: { ...resource, delete: true },
    line: `${title}: deleting it was interrupted. ${resource.id} goes back into the state, to be deleted by the next \`pulumi up\`.`,
  };
}

/** The state that the decisions lead to. Refuses one that the engine would not take. */
export function planFrom(state: State, decisions: readonly Decision[]): Plan {
  const entries = decisions.flatMap(({ entry }) => (entry ? [entry] : []));
  const resources = entries.reduce<StateResource[]>(place, [...resourcesOf(state)]);
  const problems = problemsOf(resources);
  if (problems.length > 0) {
    throw new RefusedError(
      `refused, and nothing was changed: the state would not be sound afterwards: ${problems.join("; ")}`,
    );
  }
  const { pending_operations: _settled, ...deployment } = state.deployment;
  return {
    lines: decisions.map(({ line }) => line),
    after: { ...state, deployment: { ...deployment, resources } },
  };
}
