import {
  type Costly,
  expiredStatus,
  isBeyondRepair,
  isShown,
  type Kind,
  phaseOf,
  type Snapshot,
  type Statuses,
  showCost,
  sshCommandFor,
  type Values,
  type View,
} from "../../lifecycle";

/** A member of a fleet as the state knows it. */
export interface MemberName {
  name: string;
  id: string;
}

/** The same with its record, where a list shows one. */
export interface Member extends MemberName {
  status: string;
  view: View | undefined;
  /**
   * Whether it has been ready, and nothing has shown since that it is over: what hangs on it stays. One look that does not tell
   * (a list without it, an unknown status) is no end.
   */
  wasReady?: boolean;
}

/** What the state has of the members, by id. */
export type KnownInState = ReadonlyMap<string, { status: string; wasReady: boolean }>;

/** What is known of the members before they are looked at. */
export interface KnownMembers {
  known: KnownInState;
  /** Whether this one has expired and ended: it is part of the fleet no more, until its expiry changes. */
  isExpired(id: string): boolean;
}

/** No list has shown it yet: it may be too fresh. */
const notListed = "not listed";
/** A list has shown it, and now none does. */
const gone = "gone";
/** The gate has terminated it: until a refresh drops it, the fleet lacks it. */
const terminated = "Terminated";

export function membersIn(
  rentals: readonly MemberName[],
  { known, isExpired }: KnownMembers,
  snapshot?: Snapshot<unknown>,
): Member[] {
  return rentals.map(({ name, id }) => {
    const before = known.get(id) ?? { status: notListed, wasReady: false };
    // Nothing is attached to it, nor detached from it, any more: whatever hangs on it knows that it has expired.
    if (isExpired(id)) return { name, id, view: undefined, status: expiredStatus, wasReady: before.wasReady };
    const view = snapshot?.find(id);
    const missing = [notListed, terminated].includes(before.status) ? before.status : gone;
    return { name, id, view, status: view?.status ?? missing, wasReady: staysReady(view, before.wasReady) };
  });
}

function staysReady(view: View | undefined, wasReady: boolean): boolean {
  if (view?.phase === "ready") return true;
  return wasReady && !(view && isBeyondRepair(view.phase));
}

/** Whether lists have shown it before, and the last one did not. */
export function isAbsent({ view, status }: Member): boolean {
  return view === undefined && status === gone;
}

/** The same as the state last had it, where nothing that can be believed shows more. */
export function asLastKnown(member: Member, view: View | undefined): Member {
  return view ? { ...member, view, status: view.status } : member;
}

/** The same after it was ended. */
export function asEnded(member: Member): Member {
  return { ...member, view: undefined, status: terminated, wasReady: false };
}

/** Whether the fleet is up only with this one: it is new, or was not ready yet when it was last seen. */
export function isAwaited(id: string, { known, isExpired }: KnownMembers, statuses: Statuses): boolean {
  if (isExpired(id)) return false;
  const status = known.get(id)?.status;
  return status === undefined || (status !== gone && phaseOf(status, statuses) !== "ready");
}

/** Whether it has expired and ended. */
export function isOver({ status }: Member): boolean {
  return status === expiredStatus;
}

export function isReady({ view }: Member): boolean {
  return view?.phase === "ready";
}

/** Whether it will not become ready any more. */
export function hasFailed({ view, status }: Member): boolean {
  return view ? view.phase !== "ready" && view.phase !== "pending" : [gone, terminated].includes(status);
}

/** Whether it may still cost something: also what no list shows yet. */
export function isBilling({ view, status }: Member): boolean {
  return view ? view.phase !== "ended" : status === notListed;
}

/** What each of those that may cost something costs, where that is known. */
export function costsOf(members: readonly Member[]): Costly[] {
  return members
    .filter(isBilling)
    .map(({ view }) => ({ costPerHour: view?.costPerHour, isEstimate: view?.isEstimate }));
}

/** Whether the service has shown what each of them costs. */
export function arePriced(members: readonly Member[]): boolean {
  return costsOf(members).every(isShown);
}

/** `37 of 64 Running` */
export function countReady(kind: Kind<unknown>, members: readonly Member[]): string {
  const total = members.filter((member) => !isOver(member)).length;
  return `${members.filter(isReady).length} of ${total} ${kind.statuses.ready?.[0] ?? "ready"}`;
}

const mostNamed = 10;

/** `train-3 (rental 1003) is Failed and bills $19.92/h; …` */
export function describeMembers(members: readonly Member[]): string {
  const named = members.slice(0, mostNamed).map(({ name, id, status, view }) => {
    const cost = view && view.phase !== "ended" ? showCost(view) : "";
    return `${name} (rental ${id}) is ${status}${cost && ` and costs ${cost}`}`;
  });
  const more = members.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

/** What the state keeps of a member. */
export function factsOf({ name, id, status, view, wasReady = false }: Member): Values {
  return {
    name,
    id,
    status,
    wasReady,
    region: view?.region,
    costPerHour: view?.costPerHour,
    ssh: view?.ssh,
    sshCommand: view?.sshCommand ?? sshCommandFor(view?.ssh),
  };
}
