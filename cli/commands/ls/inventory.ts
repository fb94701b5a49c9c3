import {
  distinct,
  type Gap,
  groupOrphans,
  keysAmong,
  type Missing,
  missingIn,
  type Orphans,
  outsideOf,
  runningIn,
  type Situation,
  type Stacks,
} from "../../account";
import { type Billable, compare, isVolume } from "../../money";
import type { LeftOut } from "../../stack";

/** What runs, whose it is, and what could not be told. */
export interface Inventory {
  /** `project/stack`, each once. */
  stacks: string[];
  /** When it was, by the service's clock. */
  at: number;
  entries: Entry[];
  /** What the accounts run besides; undefined where that is among the entries. */
  elsewhere: Billable[] | undefined;
  /** What the state has and the service no longer lists. */
  missing: Missing[];
  notListed: string[];
  gaps: Gap[];
  /** Stacks of the backend that could not be read: they may have what is shown as nobody's. */
  unread: Orphans["unread"];
  leftOut: LeftOut[];
}

export interface Entry {
  id: string;
  what: Billable;
  owner: Owner;
}

/** Whose it is: in the state of a stack, created by one but in no state, created by a stack that nobody here knows, or none of these. */
export type Owner =
  | { kind: "stack"; stack: string }
  | { kind: "orphan"; stack: string }
  | { kind: "otherStack" }
  | { kind: "none" };

export async function takeInventory(all: Stacks["all"], { ofAccount }: { ofAccount: boolean }): Promise<Inventory> {
  const situations = all.flatMap((one) => one.situations);
  const others = ofAccount ? await othersIn(situations) : undefined;
  const [first] = all;
  return {
    stacks: distinct(situations.map(({ name }) => name)),
    at: first.situations[0].runtime.client.serviceNow(),
    entries: [...situations.flatMap(inStack), ...(others?.entries ?? [])].sort(inOrder),
    elsewhere: ofAccount ? undefined : outsideOf(situations),
    missing: situations.flatMap(missingIn),
    notListed: distinct(situations.flatMap(({ notListed }) => notListed)),
    gaps: distinct(situations.flatMap(({ gaps }) => gaps)),
    unread: others?.unread ?? [],
    leftOut: all.flatMap(({ leftOut }) => leftOut),
  };
}

function inStack(situation: Situation): Entry[] {
  const owner: Owner = { kind: "stack", stack: situation.name };
  return runningIn(situation).map((what) => entryOf(what, owner));
}

/** What the accounts have and none of these stacks. Whoever is proven to have it comes before whoever may have created it. */
async function othersIn(situations: readonly Situation[]): Promise<Pick<Inventory, "entries" | "unread">> {
  const searched: { situation: Situation; orphans: Orphans }[] = [];
  for (const situation of situations) searched.push({ situation, orphans: await groupOrphans(situation) });
  const keyIn = keysAmong(situations);
  const seen = new Set(situations.flatMap((situation) => runningIn(situation).map((one) => keyIn(situation, one))));
  const groups = [heldIn, createdBy, createdElsewhere, createdByHand];
  const entries = groups.flatMap((group) =>
    searched.flatMap(({ situation, orphans }) =>
      group(orphans).filter(({ id, what: { type } }) => {
        const key = keyIn(situation, { id, type });
        return !seen.has(key) && seen.add(key);
      }),
    ),
  );
  return { entries, unread: distinct(searched.flatMap(({ orphans }) => orphans.unread)) };
}

const heldIn = ({ held }: Orphans) => held.map((what) => entryOf(what, { kind: "stack", stack: what.stack }));
const createdBy = ({ own, name }: Orphans) => own.map((what) => entryOf(what, { kind: "orphan", stack: name }));
const createdElsewhere = ({ otherStacks }: Orphans) => otherStacks.map((what) => entryOf(what, { kind: "otherStack" }));
const createdByHand = ({ others }: Orphans) => others.map((what) => entryOf(what, { kind: "none" }));

function entryOf(what: Billable & { id: string }, owner: Owner): Entry {
  return { id: what.id, what, owner };
}

/** By owner, machines before volumes, then by name. */
function inOrder(one: Entry, other: Entry): number {
  return (
    ranks.indexOf(one.owner.kind) - ranks.indexOf(other.owner.kind) ||
    compare(stackOf(one.owner), stackOf(other.owner)) ||
    Number(isVolume(one.what)) - Number(isVolume(other.what)) ||
    compare(one.what.name, other.what.name) ||
    compare(one.id, other.id)
  );
}

const ranks: readonly Owner["kind"][] = ["stack", "orphan", "otherStack", "none"];

function stackOf(owner: Owner): string {
  return "stack" in owner ? owner.stack : "";
}
