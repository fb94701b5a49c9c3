import { marksOfMembers, memberUrn, readMember } from "../../shared/fleetNames";
import { readLabel, resourceMark } from "../../shared/label";
import { isOver, showPerHour } from "../../shared/money";
import { nameOf } from "../../shared/urn";
import { ifUnavailable, listOf } from "../context";
import type { OperationContext } from "../definition";
import { isExpired, isLive, type Snapshot, type StateEntry, type Values, type View } from "../model";

/**
 * Why a member at this price puts its fleet over budget, or undefined when it does not. Members that are not listed, because they are not
 * rented yet or because the service has no such list, are taken to cost what is expected in their region, else the same: so a fleet that
 * is over budget as a whole is refused as a whole, not when its limit is used up.
 */
export async function whyFleetOverBudget(
  context: OperationContext<Placed>,
  costPerHour: number | undefined,
  expectedIn: (region: string) => Promise<number | undefined>,
): Promise<string | undefined> {
  const { fleet, inputs, urn } = context;
  if (!fleet || costPerHour === undefined) return undefined;
  const snapshot = await listOf(context).latest().catch(ifUnavailable);
  const liveOf = snapshot ? await liveIn(context, snapshot) : () => undefined;
  const { count, maxCostPerHour, regions } = fleet;
  const elsewhere = [...new Set(regions)].filter((region) => region !== inputs.region);
  const prices = new Map(
    await Promise.all(elsewhere.map(async (region) => [region, await expectedIn(region)] as const)),
  );
  const costs = otherMembers(urn, count).map(({ index, urn: other }) => {
    const region = regions[index % regions.length];
    return liveOf(other)?.costPerHour ?? prices.get(region ?? "") ?? costPerHour;
  });
  const total = costs.reduce((sum, cost) => sum + cost, costPerHour);
  if (!isOver(total, maxCostPerHour)) return undefined;
  return `the fleet of ${count} would cost ${showPerHour(total)}, more than its maxCostPerHour of ${showPerHour(maxCostPerHour)}`;
}

interface Placed {
  region?: string | undefined;
}

/**
 * Finds the machine that runs for a resource of this stack, and is what is asked for now: the one that the state holds for it, else one
 * with its mark. In place of any other there will be one like this.
 */
async function liveIn(
  context: OperationContext<object>,
  snapshot: Snapshot<unknown>,
): Promise<(urn: string) => View | undefined> {
  const live = snapshot.views().filter(isLive);
  const entries = await entriesOf(context, live);
  const ownerOf = ownersIn(context, entries);
  const asked = new Map(entries.map((entry) => [entry.id, entry]));
  const isKept = (view: View) => costsTheSame(askedFor(asked.get(view.id), view), { ...context.inputs });
  const held = new Map(live.filter(isKept).map((view) => [ownerOf(view), view]));
  const { stack } = context.marks;
  const isIts = (view: View) => isLive(view) && isKept(view);
  return (urn) => held.get(urn) ?? snapshot.withMarks({ stack, resource: resourceMark(urn) }).find(isIts);
}

/** As the state has it; what is a secret there, as its record shows it. Where that does not, it may be anything. */
function askedFor(entry: StateEntry | undefined, { observedInputs }: View): Values {
  if (!entry) return observedInputs;
  const secrets = (entry.secrets ?? []).map((key) => [key, observedInputs[key] ?? null]);
  return { ...entry.outputs, ...Object.fromEntries(secrets) };
}

/** What the price of a machine goes by, its region aside. */
const priced = ["gpuType", "gpuCount", "networkType", "termType", "termPeriodDays", "discountPercentage"];

/** As far as both say it. */
function costsTheSame(one: Values, other: Values): boolean {
  return priced.every((key) => [one[key], other[key]].includes(undefined) || one[key] === other[key]);
}

/**
 * Tells for which resource the state holds one of these: by the name that the program has for it, else by that of the state. What
 * stands in a label is the name from when it was rented.
 */
function ownersIn(
  { runtime, type }: OperationContext,
  entries: readonly StateEntry[],
): (view: View) => string | undefined {
  const urns = new Map(entries.map(({ id, urn }) => [id, urn]));
  return ({ id }) => runtime.memory.wantedBy(type, id) ?? urns.get(id);
}

/** The entries that may hold these. */
async function entriesOf({ runtime, stack, type }: OperationContext, views: readonly View[]): Promise<StateEntry[]> {
  const entries = views.length > 0 ? ((await runtime.state.entries(stack)) ?? []) : [];
  return entries.filter((entry) => entry.type === type && !isExpired(entry.outputs));
}

/** A machine that runs for a member of a fleet. */
export interface RunningMember {
  name: string;
  /** The place of the member in its fleet. */
  index: number;
  view: View;
}

/**
 * What runs for the fleet of a member: old ones that are to be replaced among them, and those that a smaller count has no place for. Members
 * are those that the state holds as such, and what has the mark of one and is held for nothing else.
 */
export async function runningMembers(context: OperationContext, snapshot: Snapshot<unknown>): Promise<RunningMember[]> {
  const { type, urn } = context;
  const own = readMember(nameOf(urn));
  const live = snapshot.views().filter(isLive);
  if (!own || live.length === 0) return [];
  const ownerOf = ownersIn(context, await entriesOf(context, live));
  const isSibling = (owner: string) => memberUrn(urn, type, nameOf(owner)) === owner;
  const marked = markedMembers(context, own.fleet);
  const found = live.flatMap((view): RunningMember[] => {
    const owner = ownerOf(view);
    const name = owner === undefined ? marked(view) : isSibling(owner) ? nameOf(owner) : undefined;
    const member = name === undefined ? undefined : readMember(name);
    return name === undefined || member?.fleet !== own.fleet ? [] : [{ name, index: member.index, view }];
  });
  return found.sort((one, other) => one.index - other.index);
}

/** Tells the name of the member whose mark a machine has. */
function markedMembers({ marks, type, urn }: OperationContext, fleet: string): (view: View) => string | undefined {
  let names: ReadonlyMap<string, string> | undefined;
  return ({ label }) => {
    const found = readLabel(label);
    if (found?.stack !== marks.stack) return undefined;
    names ??= marksOfMembers(urn, type, fleet);
    return names.get(found.resource);
  };
}

/** The others. Members are named `<fleet>-<index>`, so one URN gives them all. */
function otherMembers(urn: string, count: number): { index: number; urn: string }[] {
  const stem = urn.replace(/\d+$/, "");
  const members = Array.from({ length: count }, (_, index) => ({ index, urn: `${stem}${index}` }));
  return members.filter((other) => other.urn !== urn);
}
