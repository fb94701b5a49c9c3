import { cleanText } from "../../shared/cleanText";
import { readLabel } from "../../shared/label";
import { messageOf } from "../../shared/messageOf";
import { roundUsd } from "../../shared/money";
import { readTimestamp } from "../../shared/timestamp";
import { isSameUrn } from "../../shared/typeToken";
import { nameOf } from "../../shared/urn";
import { ifUnavailable } from "../context";
import type { Operation } from "../definition";
import { besidesOf, holdersElsewhere, readUnresolved } from "../holders";
import {
  type Besides,
  expectedKey,
  isExpired,
  isLive,
  namesOf,
  type Runtime,
  readPrice,
  type StateEntry,
  unresolvedFingerprint,
  type View,
} from "../model";
import { expectedBesides } from "./besides";
import { priceInState } from "./sum";

/** One thing that this stack runs. */
export interface Running {
  /** By the name in its label or in the state; by type and id where it has none of ours. */
  name: string;
  /** Type and id, for each of its names. */
  keys: readonly string[];
  /** Undefined where the service does not list its kind, or does not list it now so that it can be read. */
  view: View | undefined;
  /** Undefined where neither the service nor the price book nor the state tells. */
  costPerHour: number | undefined;
  /** Whether the list should have it, and does not. */
  isMissing?: boolean;
  /** Whether it is not known to be there at all: the reply to its create was lost, and nothing proves what came of that. */
  isInDoubt?: boolean;
  /** Whether it came along with something else, and no entry of the state is about it. */
  isAlong?: boolean;
  /** Whether nothing but its label says that it is this stack's. */
  isOnlyMarked?: boolean;
}

/** What is not listed counts all the same: silence is no proof that it has ended. */
export function nameUnlisted(running: readonly Running[]): string {
  const doubtful = firstNames(running.filter(({ isInDoubt }) => isInDoubt));
  const missing = running.filter(({ isMissing }) => isMissing);
  const names = firstNames(missing);
  const along = missing.some(({ isAlong }) => isAlong) ? " What came with a rental counts until that has ended." : "";
  return [
    names &&
      ` Not listed at the moment, and counted as the state has it: ${names}. If that has ended, \`pulumi refresh\` removes it.${along}`,
    doubtful &&
      ` Counted, although it is unknown whether it was created: ${doubtful}. \`gpufleet recover\` settles that.`,
  ].join("");
}

function firstNames(running: readonly Running[]): string {
  const names = running.map(({ name }) => name).slice(0, mostNamed);
  return cleanText(names.join(", "));
}

const mostNamed = 5;

/**
 * The sum of it. With `than`, only what was there before it, or has passed its own look at the limit: of two that were made at once the
 * later one yields, and the one that could be looked at only later. What is left out counts in no way.
 */
export function sumOf(
  running: readonly Running[],
  { runtime: { memory, pledges }, urn }: Operation,
  than?: View,
  isLeftOut: (one: Running) => boolean = () => false,
): number {
  const isCounted = ({ keys, view }: Running) => !view || !than || isBefore(view, than) || pledges.hasPassed(keys);
  const counted = running.filter((one) => isCounted(one) && !isLeftOut(one));
  const sum = counted.reduce((total, { costPerHour = 0 }) => total + costPerHour, 0);
  const keys = new Set(running.flatMap((one) => one.keys));
  const isEnding = (key = "") => memory.isEnding(...splitKey(key));
  return roundUsd(sum + pledges.sumWithout(keys, urn, ({ key, hasPassed }) => (hasPassed || !than) && !isEnding(key)));
}

function splitKey(key: string): [type: string, id: string] {
  const end = key.indexOf(" ");
  return [key.slice(0, end), key.slice(end + 1)];
}

/**
 * Everything that the state holds or that has this stack's mark, at the price that the service shows or the state has. Another stack may hold
 * what only the mark speaks for, as after this one took the name of one that was renamed: the others are asked only where that decides.
 */
export async function runningIn(
  operation: Operation,
  isTooMuch: (running: readonly Running[]) => boolean,
): Promise<Running[]> {
  const all = await everythingIn(operation);
  const priced = withPricesOfAlike(all);
  if (!all.some(({ isOnlyMarked }) => isOnlyMarked) || !isTooMuch(priced)) return priced;
  return withPricesOfAlike(await withoutOthers(operation, all));
}

async function everythingIn(operation: Operation): Promise<Running[]> {
  const { runtime, stack } = operation;
  const state = await runtime.state.entries(stack);
  const entries = (state ?? []).filter(({ outputs }) => !isExpired(outputs));
  const held = new Map(entries.map((entry) => [`${entry.type} ${entry.id}`, entry]));
  const besides = new Map(entries.flatMap((entry) => alongWith(runtime, entry)));
  const running = await Promise.all(
    runtime.owned.map(async (owned): Promise<Running[]> => {
      const views = await viewsOf(operation, owned, state && entries);
      const listed = (views ?? []).flatMap((view) => listedAs(operation, owned.type, view, { held, besides }));
      const shown = new Set((views ?? []).flatMap((view) => namesOf(view).map((name) => `${owned.type} ${name}`)));
      const isMissing = views !== undefined;
      const unlisted = [...held].filter(([key, { type }]) => type === owned.type && !shown.has(key));
      const along = [...besides].filter(([key, { type }]) => type === owned.type && !shown.has(key) && !held.has(key));
      return [
        ...listed,
        ...unlisted.flatMap(([key, entry]) => unlistedAs(operation, key, entry, isMissing)),
        ...(await Promise.all(along.map(([key, one]) => unlistedAlong(operation, key, one, isMissing)))).flat(),
      ];
    }),
  );
  return running.flat();
}

async function withoutOthers(operation: Operation, running: readonly Running[]): Promise<Running[]> {
  const found: Running[] = [];
  for (const one of running) {
    const [type] = splitKey(one.keys[0] ?? "");
    const holderOf = one.isOnlyMarked && one.view ? await holdersElsewhere({ ...operation, type }) : () => undefined;
    if (!(one.view && holderOf(one.view))) found.push(one);
  }
  return found;
}

/** What came along with something that the state holds. */
interface Along extends Besides {
  entry: StateEntry;
}

/** The same by type and id. */
function alongWith(runtime: Runtime, entry: StateEntry): [key: string, along: Along][] {
  const found = besidesOf(runtime, entry);
  return found ? [[`${found.type} ${found.id}`, { ...found, entry }]] : [];
}

/** What a record adds, if it is this stack's. */
function listedAs(
  { runtime: { memory, pledges, settings }, marks }: Operation,
  type: string,
  view: View,
  { held, besides }: { held: ReadonlyMap<string, StateEntry>; besides: ReadonlyMap<string, Along> },
): Running[] {
  const names = namesOf(view);
  const keys = names.map((name) => `${type} ${name}`);
  const entry = keys.map((key) => held.get(key)).find((one) => one !== undefined);
  const isHeld =
    entry !== undefined || keys.some((key) => besides.has(key)) || names.some((name) => !memory.isFree(type, name));
  const label = readLabel(view.label);
  if (!isHeld && label?.stack !== marks.stack) return [];
  const name = label?.name || `${type} ${view.id}`;
  // What has ended stands in the list, and costs nothing.
  if (!isLive(view)) return [{ name, keys, view, costPerHour: 0 }];
  const known = entry ? priceInState(entry.outputs, settings.prices) : {};
  // A price that the service has shown once is better than one of the book, and the state knows the terms.
  const isBetter = view.costPerHour === undefined || view.isEstimate;
  const costPerHour = (isBetter ? known.costPerHour : undefined) ?? view.costPerHour ?? pledges.priceOf(keys);
  return [{ name, keys, view, costPerHour, isOnlyMarked: !isHeld }];
}

/** What the state has and no record shows: it may bill all the same, unless this process knows better. */
function unlistedAs(operation: Operation, key: string, entry: StateEntry, isMissing: boolean): Running[] {
  const { runtime } = operation;
  const { id, urn, outputs } = entry;
  if (isGoing(runtime, entry)) return [];
  const { costPerHour } = priceInState(outputs, runtime.settings.prices);
  const one = { name: nameOf(urn), keys: [key], view: undefined };
  if (unresolvedFingerprint(id) === undefined || !isMissing) return [{ ...one, costPerHour, isMissing }];
  if (isCountedElsewhere(operation, entry)) return [];
  return [{ ...one, costPerHour: readPrice(outputs[expectedKey]) ?? costPerHour, isInDoubt: true }];
}

/** Whether what was made of a create whose reply was lost is counted when it is found; or by the create that settles it. */
function isCountedElsewhere(
  { runtime: { pledges }, urn }: Operation,
  { id, outputs, secrets, urn: own }: StateEntry,
): boolean {
  const isOwn = isSameUrn(own, urn) || pledges.expectedOf(own) !== undefined;
  return isOwn || readUnresolved(id, outputs, secrets)?.isProof === true;
}

function isGoing({ memory }: Runtime, { type, id }: Pick<StateEntry, "type" | "id">): boolean {
  return memory.isEnding(type, id) || memory.deletionsOf(type, id) > 0;
}

/** The same of what came along with an entry, at the price that the service has shown of it, or of its like. */
async function unlistedAlong(
  { runtime }: Operation,
  key: string,
  { entry, type, id, noun, costPerHour }: Along,
  isMissing: boolean,
): Promise<Running[]> {
  if ([entry, { type, id }].some((one) => isGoing(runtime, one))) return [];
  const owner = runtime.owned.find((one) => one.type === entry.type);
  const expected = owner && (await expectedBesides(runtime, owner, entry.outputs));
  const name = `${noun} ${id} of ${nameOf(entry.urn)}`;
  return [{ name, keys: [key], view: undefined, costPerHour: costPerHour ?? expected, isMissing, isAlong: true }];
}

/** What the service shows no price of, or nonsense, costs what others of its kind and size cost: a limit must not let more pass for that. */
function withPricesOfAlike(running: readonly Running[]): Running[] {
  const kindOf = ({ keys: [key = ""], view }: Running) =>
    view?.size && isLive(view) ? `${splitKey(key)[0]} ${view.size}` : undefined;
  const highest = new Map<string, number>();
  for (const one of running) {
    const kind = kindOf(one);
    if (kind && one.costPerHour !== undefined) highest.set(kind, Math.max(one.costPerHour, highest.get(kind) ?? 0));
  }
  return running.map((one) => ({ ...one, costPerHour: one.costPerHour ?? highest.get(kindOf(one) ?? "") }));
}

/**
 * What is listed of a kind; undefined where the service has no such list. A list that cannot be had is an error only where something of this
 * stack must be in it. Beside it, what an interrupted run has left may be there: only a mark would tell, so only of what has one.
 */
async function viewsOf(
  { runtime, type, urn }: Operation,
  owned: Runtime["owned"][number],
  held: readonly StateEntry[] | undefined,
): Promise<View[] | undefined> {
  const { engine, lists, memory, settings } = runtime;
  const list = await lists.of(owned.kind).latest().catch(ifUnavailable).catch(messageOf);
  if (typeof list !== "string") return list?.views();
  const { maxCostPerHourName: limit } = settings;
  const { plural } = owned.kind;
  const isUsed = owned.type === type || memory.hasAny(owned.type) || held?.some((entry) => entry.type === owned.type);
  if (!held || isUsed) {
    throw new Error(
      `whether this stack stays within ${limit} is not known, because its ${plural} cannot be listed: ${list}`,
    );
  }
  if ("label" in owned.inputs.shape && memory.noted(owned.type, notCounted) !== true) {
    memory.note(owned.type, notCounted, true);
    engine.warn(
      urn,
      `${plural} are not counted for ${limit}: the state has none, and whether an interrupted run has left some is not known, because they cannot be listed: ${list}`,
    );
  }
  return [];
}

/** Said once of each kind. */
const notCounted = "not counted";

export function isBefore(view: View, other: View): boolean {
  const [left, right] = [readTimestamp(view.createdAt) ?? 0, readTimestamp(other.createdAt) ?? 0];
  return left === right ? Number(view.id) < Number(other.id) : left < right;
}
