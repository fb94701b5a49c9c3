import { isAutomaticLabel } from "../shared/label";
import { ifUnavailable } from "./context";
import type { Operation } from "./definition";
import {
  isExpired,
  isOtherKey,
  isSameAccount,
  RefusedError,
  type Runtime,
  readWhereabouts,
  type SharedList,
  type Snapshot,
  type StateEntry,
  whyElsewhere,
  whyForeign,
} from "./model";

/** An entry of the state that the service has something of, and the list in which that is found. */
interface Held extends StateEntry {
  list: SharedList<unknown>;
}

/**
 * Refuses to rent or to adopt where the rest of the stack is not: at another address, or with a key of which nothing shows that it is of the
 * same account. The state is asked, because what is new may come before all that would be compared. Where it cannot be exported, only
 * what came by is known.
 */
export async function refuseOtherPlace(operation: Operation): Promise<void> {
  const { runtime } = operation;
  const { memory, service } = runtime;
  const isPresent = (entry: StateEntry) =>
    !isExpired(entry.outputs) && !memory.isDropped(entry) && !memory.isEnding(entry.type, entry.id);
  const present = (await heldBy(operation)).filter(isPresent);
  for (const { outputs, list } of present) {
    const reason = whyElsewhere(outputs, service, list.kind.base);
    if (reason) memory.noteElsewhere(reason);
  }
  refuseElsewhereInStack(runtime);
  const others = present.filter(({ outputs }) => isOtherKey(outputs, service));
  if (others.length === 0 || (await isOwnAccount(operation))) return;
  throw new RefusedError(
    "refused, nothing was created: the API key is not the one with which the resources of this stack were last seen, and no list shows that it is of the same account. Use the former key; or, if both are keys of one account, run this once with GPUFLEET_SAME_ACCOUNT=1. If all that the state has is gone, run `pulumi up --refresh` with GPUFLEET_CONFIRM_GONE=1.",
  );
}

/** What is known to be wrong for one resource of the stack is wrong for what would be rented beside it. */
export function refuseElsewhereInStack({ memory }: Runtime): void {
  const reason = memory.whyElsewhere();
  if (!reason) return;
  throw new RefusedError(
    `refused, nothing was created: another resource of this stack is not at this address: ${reason}`,
  );
}

/**
 * Whether something of this stack was last seen with this very key, or is listed as ours with it: by its account, its automatic label, or the
 * time of its creation.
 */
export async function isOwnAccount(operation: Operation): Promise<boolean> {
  const { memory, service } = operation.runtime;
  if (memory.isOwnAccount) return true;
  const held = await heldBy(operation);
  const isSeenSo = ({ outputs }: StateEntry) => {
    const key = readWhereabouts(outputs)?.key;
    return key !== undefined && key === service.key;
  };
  const others = held.filter(({ outputs }) => isOtherKey(outputs, service));
  const isOwn = held.some(isSeenSo) || (await isListed(others, service));
  if (isOwn) memory.noteOwnAccount();
  return isOwn;
}

async function heldBy({ runtime, stack }: Operation): Promise<Held[]> {
  const lists = new Map(runtime.owned.map(({ type, kind }) => [type, runtime.lists.of(kind)]));
  const entries = (await runtime.state.entries(stack)) ?? [];
  return entries.flatMap((entry) => {
    const list = lists.get(entry.type);
    return list ? [{ ...entry, list }] : [];
  });
}

/** Any list with this key tells, however old; one may leave out what another shows. */
async function isListed(held: readonly Held[], service: Runtime["service"]): Promise<boolean> {
  const lists = [...new Set(held.map(({ list }) => list))];
  const accounts = [...new Map(held.map((entry) => [accountIn(entry), entry])).values()];
  const shows = (list: SharedList<unknown>, snapshot: Snapshot<unknown>) => {
    const views = snapshot.views();
    const isOurs = (entry: Held) => entry.list === list && isShown(entry, service, snapshot);
    return accounts.some(({ outputs }) => isSameAccount(outputs, service, views)) || held.some(isOurs);
  };
  const failures: unknown[] = [];
  for (const look of ["latest", "fresh"] as const) {
    for (const list of lists) {
      try {
        const snapshot = await list[look]().catch(ifUnavailable);
        if (snapshot && shows(list, snapshot)) return true;
      } catch (error) {
        // Another list may show it.
        failures.push(error);
      }
    }
  }
  if (failures.length > 0) throw failures[0];
  return false;
}

/** Many have the same one. */
function accountIn({ outputs }: StateEntry): string {
  const { address, account, user } = readWhereabouts(outputs) ?? {};
  return JSON.stringify([address, account, user]);
}

function isShown({ type, id, outputs }: StateEntry, service: Runtime["service"], snapshot: Snapshot<unknown>): boolean {
  const { label } = outputs;
  if (isAutomaticLabel(label) && snapshot.withLabel(label).length > 0) return true;
  const view = snapshot.isUnreadable(id) ? undefined : snapshot.find(id, label);
  return view !== undefined && whyForeign(outputs, service, type, view) === undefined;
}
