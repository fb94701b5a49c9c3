import { type Kind, roundUsd, type Snapshot, showPerHour, sshCommandFor, type Values, type View } from "../lifecycle";

/** A member of a fleet as the state knows it. */
export interface MemberName {
  name: string;
  id: string;
}

/** The same with its record, where a list shows one. */
export interface Member extends MemberName {
  view: View | undefined;
}

export function membersIn<Item>(snapshot: Snapshot<Item>, rentals: readonly MemberName[]): Member[] {
  return rentals.map(({ name, id }) => ({ name, id, view: snapshot.find(id) }));
}

export function isReady({ view }: Member): boolean {
  return view?.phase === "ready";
}

/** Whether it will not become ready any more. One that is missing from a list may only be too fresh for it. */
export function hasFailed({ view }: Member): boolean {
  return view !== undefined && view.phase !== "ready" && view.phase !== "pending";
}

/** What the machines cost together, as far as their prices are shown. */
export function costOf(members: readonly Member[]): number {
  return roundUsd(members.reduce((sum, { view }) => sum + (view?.costPerHour ?? 0), 0));
}

/** `37 of 64 Running` */
export function countReady<Item>(kind: Kind<Item>, members: readonly Member[]): string {
  return `${members.filter(isReady).length} of ${members.length} ${kind.statuses.ready?.[0] ?? "ready"}`;
}

const mostNamed = 10;

/** `train-3 (rental 1003) is Failed and bills $19.92/h; …` */
export function describeMembers(members: readonly Member[]): string {
  const named = members.slice(0, mostNamed).map(({ name, id, view }) => {
    const bills =
      view?.costPerHour === undefined || view.phase === "ended" ? "" : ` and bills ${showPerHour(view.costPerHour)}`;
    return `${name} (rental ${id}) is ${view?.status ?? "not listed"}${bills}`;
  });
  const more = members.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

/** What the state keeps of a member. */
export function factsOf({ name, id, view }: Member): Values {
  return {
    name,
    id,
    status: view?.status ?? "not listed",
    region: view?.region,
    label: view?.label,
    costPerHour: view?.costPerHour,
    ssh: view?.ssh,
    sshCommand: view?.sshCommand ?? sshCommandFor(view?.ssh),
  };
}
