import {
  type Costly,
  expiredStatus,
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
}

/** The statuses that the state has, by id. */
export type KnownStatuses = ReadonlyMap<string, string>;

/** What is known of the members before they are looked at. */
export interface KnownMembers {
  known: KnownStatuses;
  /** Whether this one has expired and ended: it is part of the fleet no more, until its expiry changes. */
  isExpired(id: string): boolean;
}

/** No list has shown it yet: it may be too fresh. */
const notListed = "not listed";
/** A list has shown it, and now none does. */
const gone = "gone";

export function membersIn(
  rentals: readonly MemberName[],
  { known, isExpired }: KnownMembers,
  snapshot?: Snapshot<unknown>,
): Member[] {
  return rentals.map(({ name, id }) => {
    if (isExpired(id)) return { name, id, view: undefined, status: expiredStatus };
    const view = snapshot?.find(id);
    const missing = (known.get(id) ?? notListed) === notListed ? notListed : gone;
    return { name, id, view, status: view?.status ?? missing };
  });
}

/** The same after it was ended. */
export function asEnded(member: Member): Member {
  return { ...member, view: undefined, status: gone };
}

/** Whether the fleet is up only with this one: it is new, or was not ready yet when it was last seen. */
export function isAwaited(id: string, { known, isExpired }: KnownMembers, statuses: Statuses): boolean {
  if (isExpired(id)) return false;
  const status = known.get(id);
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
  return view ? view.phase !== "ready" && view.phase !== "pending" : status === gone;
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
export function factsOf({ name, id, status, view }: Member): Values {
  return {
    name,
    id,
    status,
    region: view?.region,
    costPerHour: view?.costPerHour,
    ssh: view?.ssh,
    sshCommand: view?.sshCommand ?? sshCommandFor(view?.ssh),
  };
}
