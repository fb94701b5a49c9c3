import { count } from "../../../provider/shared/count";
import { distinct, keysAmong, type Orphan, type Orphans, type Situation } from "../../account";
import type { Paint } from "../../terminal";
import { orphanRow, showOrphans } from "./show";

/** A stack in one of its accounts, and what is an orphan there. */
export interface Searched {
  situation: Situation;
  orphans: Orphans;
}

/** What several stacks leave of their accounts: what one of them has or has created is in none of these groups. */
function restOf(searched: readonly Searched[]): Orphans {
  const names = new Set(searched.map(({ orphans }) => orphans.name));
  const keyIn = keysAmong(searched.map(({ situation }) => situation));
  const taken = new Set(
    searched.flatMap(({ situation, orphans }) =>
      [...orphans.own, ...orphans.held.filter(({ stack }) => names.has(stack))].map((one) => keyIn(situation, one)),
    ),
  );
  const shared = <One extends Orphan>(groupOf: (orphans: Orphans) => readonly One[]): One[] => {
    const all = searched.flatMap(({ situation, orphans }) =>
      groupOf(orphans).map((one): [string, One] => [keyIn(situation, one), one]),
    );
    return [...new Map(all)].flatMap(([key, one]) => (taken.has(key) ? [] : [one]));
  };
  const parts = searched.map(({ orphans }) => orphans);
  return {
    name: `these ${count(names.size, "stack")}`,
    account: undefined,
    own: [],
    held: shared(({ held }) => held),
    otherStacks: shared(({ otherStacks }) => otherStacks),
    others: shared(({ others }) => others),
    unsettled: parts.flatMap(({ unsettled }) => unsettled),
    notListed: [...new Set(parts.flatMap(({ notListed }) => notListed))],
    gaps: distinct(parts.flatMap(({ gaps }) => gaps)),
    unread: distinct(parts.flatMap(({ unread }) => unread)),
  };
}

const nothing = { held: [], otherStacks: [], others: [], unsettled: [], notListed: [], gaps: [], unread: [] };

/** The orphans of each stack, then what is left of the accounts. */
export function showSeveral(searched: readonly Searched[], paint: Paint, { graceMs }: { graceMs: number }): string {
  const withOrphans = searched.filter(({ orphans }) => orphans.own.length > 0);
  const each = withOrphans.map(({ orphans }) => {
    return showOrphans({ ...orphans, ...nothing }, paint, {
      graceMs,
      isUnread: orphans.unread.length > 0,
    });
  });
  const rest = showOrphans(restOf(searched), paint, { graceMs, saysNone: withOrphans.length === 0 });
  return [...each, rest].filter(Boolean).join("\n\n");
}

/** The same as JSON, each orphan with its stack. */
export function severalJson(searched: readonly Searched[]): string {
  const { held, otherStacks, others, notListed, gaps, unread } = restOf(searched);
  const report = {
    stacks: [...new Set(searched.map(({ orphans }) => orphans.name))],
    orphans: searched.flatMap(({ orphans: { name, own } }) => own.map((one) => ({ stack: name, ...orphanRow(one) }))),
    inOtherStacks: held.map((one) => ({ ...orphanRow(one), stack: one.stack })),
    otherStacks: otherStacks.map(orphanRow),
    others: others.map(orphanRow),
    notListed,
    unreadable: [...gaps, ...unread.map(({ name, reason }) => ({ what: `state of ${name}`, reason }))],
  };
  return JSON.stringify(report, null, 2);
}
