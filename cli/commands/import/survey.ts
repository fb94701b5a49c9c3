import type { View } from "../../../provider/lifecycle";
import { groupOrphans, type Orphan, type Orphans, type Situation } from "../../account";
import { isVolume } from "../../money";
import { commandLine } from "../../place";
import type { Written } from "../../program";
import { definitionOf, nounOf } from "../../stack";
import { adoptionOf } from "./inputs";
import { unsettledCreates } from "./unsettled";

/** What runs in the account, by whether this stack can adopt it. */
export interface Survey {
  adoptable: Adoptable[];
  refused: Refused[];
}

export interface Adoptable {
  what: Orphan;
  view: View;
  inputs: Record<string, Written>;
}

export interface Refused {
  what: Orphan;
  reason: string;
}

/** A part of the account, and why it is left alone. */
interface Group {
  members: readonly Orphan[];
  refusal?: (orphan: Orphan) => string | undefined;
  /** Whether it is left alone even where it is asked for by its id. */
  isFinal?: boolean;
}

/** Looks at everything that the state of this stack does not have; with ids, at these alone. */
export async function survey(situation: Situation, ids: readonly string[] | undefined): Promise<Survey> {
  const orphans = await groupOrphans(situation);
  refuseUnread(orphans);
  const wanted = ids && new Set(ids.map((id) => keyFor(id, situation, orphans)));
  const whyUnsettled = await unsettledCreates(situation);
  const found: Survey = { adoptable: [], refused: [] };
  for (const { members, refusal, isFinal = true } of groupsOf(situation, orphans)) {
    for (const what of members) {
      if (wanted && !wanted.has(keyOf(what))) continue;
      const reason = (wanted && !isFinal ? undefined : refusal?.(what)) ?? whyUnsettled(what);
      if (reason === undefined) await judge(situation, what, found);
      else found.refused.push({ what, reason });
    }
  }
  found.adoptable.sort((one, other) => Number(isVolume(one.what)) - Number(isVolume(other.what)));
  const [refused] = found.refused;
  if (wanted && refused) throw new Error(`refused: ${titleOf(refused.what)}: ${refused.reason}`);
  return found;
}

function groupsOf({ account }: Situation, { own, held, otherStacks, others }: Orphans): Group[] {
  const elsewhere = ({ id }: Orphan) =>
    `it is in the account of ${account}. Write it by hand, with adoptId: ${JSON.stringify(id)} and that provider`;
  if (account !== undefined) return [{ members: [...own, ...otherStacks, ...others], refusal: elsewhere }];
  const holders = new Map(held.map(({ id, type, stack }) => [keyOf({ id, type }), stack]));
  return [
    { members: [...own, ...others] },
    { members: otherStacks, refusal: byAnotherStack, isFinal: false },
    { members: held, refusal: (orphan) => `stack ${holders.get(keyOf(orphan))} has it` },
  ];
}

function byAnotherStack({ id }: Orphan): string {
  return `another stack created it, and its state may be kept elsewhere. If it is not, add --id ${id}`;
}

async function judge({ runtime }: Situation, what: Orphan, found: Survey): Promise<void> {
  const definition = definitionOf(what.type);
  const view = definition && (await runtime.lists.of(definition.kind).latest()).find(what.id, what.label);
  if (!view) return;
  const adoption = adoptionOf(definition, view);
  if (adoption.kind === "adoptable") found.adoptable.push({ what, view, inputs: adoption.inputs });
  else found.refused.push({ what, reason: adoption.reason });
}

function refuseUnread({ unread: [first] }: Orphans): void {
  if (!first) return;
  throw new Error(
    `refused: the state of ${first.name} could not be read, and may have some of what runs in this account: ${first.reason}`,
  );
}

interface Named {
  id: string;
  type: string;
}

function keyOf({ type, id }: Named): string {
  return `${type}:${id}`;
}

/** The one thing that an id of the command line means. */
function keyFor(id: string, { own, name }: Situation, { own: orphans, held, otherStacks, others }: Orphans): string {
  const isMeant = (one: Named) => one.id === id || keyOf(one) === id;
  const [managed] = own.filter(isMeant);
  const [first, second] = [...orphans, ...held, ...otherStacks, ...others].filter(isMeant);
  if (second && first) {
    throw new Error(
      `${id} is the id of ${titleOf(first)} and of ${titleOf(second)}: write ${keyOf(first)} or ${keyOf(second)}`,
    );
  }
  if (first) return keyOf(first);
  if (managed)
    throw new Error(`${nounOf(managed.type)} ${managed.id} is in stack ${name} already, as "${managed.name}"`);
  throw new Error(
    `there is nothing with the id ${id} in this account. \`${commandLine("gpufleet ls --account")}\` lists what there is`,
  );
}

/** `bare-metal rental 1042 "train"` */
export function titleOf({ type, id, label }: Orphan): string {
  return `${nounOf(type)} ${id}${label === undefined ? "" : ` ${JSON.stringify(label)}`}`;
}
