import { isDeepStrictEqual } from "node:util";
import { readDuration } from "../../shared/duration";
import { readTimestamp } from "../../shared/timestamp";
import { expiryTime } from "./inputs";
import {
  asRentedKey,
  estimatedKey,
  kept,
  sinceKey,
  uncheckedKey,
  unseenKey,
  untilPriced,
  type Values,
  visible,
  whereKey,
} from "./values";
import { isBeyondRepair, sshCommandFor, type View } from "./view";

/**
 * Inputs that the outputs show otherwise than they were asked for, as they were asked for (null: not at all): a label that
 * came with an adopted machine, or a volume, the region that had capacity, the machine that was chosen.
 */
export const askedKey = "__asked";
const placed = ["label", "region", "clusterName", "nodeName", "storageVolume"];
/** Those of them that came with the machine, although the program has them, too, by now: it may go back to not having them. */
const cameKey = "__came";

/** Set while a create has not come to its end: a refresh forgets why it failed, but the next update is to go on with it. */
export const unfinishedKey = "__unfinished";

/**
 * What the state keeps: the inputs with their defaults, and what the record shows of the machine. What the state had before
 * stays where neither of the two tells.
 */
export function outputsOf(inputs: object, view: View, now: number, before: Values = {}): Values {
  const given: Values = { ...inputs };
  const expiresAt = typeof given["expiresAt"] === "string" ? given["expiresAt"] : undefined;
  const createdAt = creationTime(expiresAt, view, before, now);
  const shown = visible({
    ...given,
    label: view.label ?? given["label"],
    region: view.region ?? given["region"],
    status: view.status,
    costPerHour: view.costPerHour,
    createdAt,
    ssh: view.ssh,
    sshCommand: view.sshCommand ?? sshCommandFor(view.ssh),
    ...view.outputs,
  });
  const outputs = { ...visible(before), ...shown };
  // Before a list has shown it, what the state has is the time at which it was made: by our clock, or by that of a record that agrees.
  const madeAt = view.madeAt ?? before[sinceKey] ?? (wasListed(before) ? undefined : before["createdAt"]);
  const since = ownTimeOf(createdAt, madeAt);
  const expiresAtTime = expiryTime(expiresAt, readTimestamp(since ?? createdAt));
  const asked = placed
    .filter((key) => !isDeepStrictEqual(outputs[key], given[key]))
    .map((key) => [key, given[key] ?? null]);
  const came = cameIn(before).filter((key) => (given[key] ?? undefined) !== undefined);
  const { expiresAtTime: _, ...lasting } = outputs;
  return {
    ...lasting,
    ...(expiresAtTime === undefined ? {} : { expiresAtTime }),
    ...(asked.length > 0 ? { [askedKey]: Object.fromEntries(asked) } : {}),
    ...keepingCame(came),
    ...keptWith(view, before),
    ...(since !== undefined && { [sinceKey]: since }),
    ...view.kept,
  };
}

/** What stays hidden from before. Where there is a new price, that tells whether it is the book's. */
function keptWith({ costPerHour, isEstimate }: View, before: Values): Values {
  const { [estimatedKey]: wasEstimate, [sinceKey]: _, ...others } = kept(before);
  const isBooks = costPerHour === undefined ? wasEstimate === true : isEstimate;
  return { ...others, ...(isBooks && { [estimatedKey]: true }) };
}

/**
 * When it was created. Where nothing that can be read tells, and it is to expire some time after, that is counted from when the state
 * first said so: counted from now at each look, it would never expire.
 */
function creationTime(expiresAt: string | undefined, view: View, before: Values, now: number): unknown {
  const told = [view.createdAt, before["createdAt"]];
  const readable = told.find((time) => readTimestamp(time) !== undefined);
  const span = readDuration(expiresAt);
  if (readable !== undefined || span === undefined) return readable ?? told.find((time) => time !== undefined);
  const expiry = readTimestamp(before["expiresAtTime"]);
  return new Date(expiry === undefined ? now : expiry - span).toISOString();
}

/** Whether a list has shown it. Older versions did not note the time that a list shows, and wrote all else only when one did. */
export function wasListed(state: Values): boolean {
  const where = state[whereKey];
  return where === undefined ? state["status"] !== undefined : Object(where).created !== undefined;
}

/** The answer to a create takes a while, and a lost one is looked for. */
const roundTripMs = 5 * 60_000;

/** When it was made by the service's clock, where its record tells another time. */
function ownTimeOf(createdAt: unknown, madeAt: unknown): unknown {
  const [told, made] = [readTimestamp(createdAt), readTimestamp(madeAt)];
  return told !== undefined && made !== undefined && Math.abs(told - made) > roundTripMs ? madeAt : undefined;
}

/** A price or a limit as a state or a program has it. What is below zero is none. */
export function readPrice(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 ? value : undefined;
}

/** What it costs as the service has shown it, and not by the user's own book. */
export function shownPrice(state: Values): number | undefined {
  // A 0 that an older version has written is none.
  return state[estimatedKey] === true ? undefined : readPrice(state["costPerHour"]) || undefined;
}

/** Whether it is yet to be held against its limits, and can be. */
export function isToBeChecked(state: Values): boolean {
  return state[uncheckedKey] === true || (state[uncheckedKey] === untilPriced && shownPrice(state) !== undefined);
}

/** What of a state stays as it is when the resource is read or updated: all but the inputs that the program wrote. */
export function lasting(shape: object, state: Values): Values {
  const shown = Object.entries(visible(state)).filter(([key]) => !(key in shape) || isUnasked(key, state));
  const came = placed.filter((key) => isUnasked(key, state));
  return { ...Object.fromEntries(shown), ...kept(state), ...keepingCame(came) };
}

/** The inputs that a state was made from. */
export function inputsFrom(shape: object, state: Values): Values {
  const values = { ...state, ...askedIn(state) };
  return Object.fromEntries(Object.entries(visible(values)).filter(([key]) => key in shape));
}

/** An input as the program had it when the state was written. */
export function askedFor(key: string, state: Values): unknown {
  return askedIn(state)[key] ?? undefined;
}

/** Whether the state shows an input that the program did not have at first: it came with the machine. */
export function isUnasked(key: string, state: Values): boolean {
  return askedIn(state)[key] === null || cameIn(state).includes(key);
}

/** Whether this is what lists have shown of an input from the first one on, although something else was asked for. */
export function isAsRented(key: string, value: unknown, state: Values): boolean {
  const shown = state[asRentedKey];
  if (typeof shown !== "object" || shown === null || value === undefined) return false;
  return isDeepStrictEqual(Reflect.get(shown, key), value);
}

/** The inputs of an imported machine that its record did not show: what a program says of them first is taken as it is. */
export function unseenIn(state: Values): string[] {
  const unseen = state[unseenKey];
  return Array.isArray(unseen) ? unseen.map(String) : [];
}

/** Those of them that the program still says nothing of. */
export function stillUnseen(state: Values, inputs: Values): Values {
  const unseen = unseenIn(state).filter((key) => isDeepStrictEqual(state[key] ?? undefined, inputs[key] ?? undefined));
  return unseen.length > 0 ? { [unseenKey]: unseen } : {};
}

/** The mark of a create that has not come to its end, as long as it may yet. */
export function stillUnfinished(state: Values, view: View): Values {
  const checksMore = state["waitForSsh"] === true || state["waitForGpus"] === true;
  const may = (view.phase !== "ready" || checksMore) && !isBeyondRepair(view.phase);
  return state[unfinishedKey] === true && may ? { [unfinishedKey]: true } : {};
}

function keepingCame(keys: readonly string[]): Values {
  return keys.length > 0 ? { [cameKey]: keys } : {};
}

function cameIn(state: Values): string[] {
  const came = state[cameKey];
  return Array.isArray(came) ? came.map(String) : [];
}

function askedIn(state: Values): Values {
  const asked = state[askedKey];
  return typeof asked === "object" ? { ...asked } : {};
}
