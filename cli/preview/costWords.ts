import { count } from "../../provider/shared/count";
import {
  about,
  type Billable,
  gpusByPlace,
  hoursPerMonth,
  showBriefly,
  showSignedBriefly,
  unknownModel,
} from "../money";
import type { CostChange } from "./costChange";
import { countsOf } from "./describe";
import { groupBy } from "./groupBy";
import { listOf } from "./names";
import type { Summary } from "./summary";
import type { Voice } from "./voice";

/** `+$79.68/h (+$58,166/month): 32 more h100 in us-central-1` */
export function costSentence(summary: Summary, voice: Voice): string {
  const { costChange, changes, ending, starting } = summary;
  if (changes.length === 0) return "No changes";
  const what = differenceIn(ending, starting, voice) ?? countsOf(changes);
  return `${showCostChange(costChange)}: ${what}`;
}

/** `+$79.68/h (+$58,166/month)`, `Saves at least $2/h …`, `Cost unknown`. No figure where an unknown price may make it wrong. */
export function showCostChange(change: CostChange): string {
  switch (change.kind) {
    case "none":
      return "No change in cost";
    case "known":
      return change.perHour === 0 ? "No change in cost" : `${about(change)}${both(change.perHour, showSignedBriefly)}`;
    case "at-most":
      if (change.perHour === 0) return "Saves an unknown amount";
      return change.perHour > 0
        ? `At most ${about(change)}${both(change.perHour, showSignedBriefly)}`
        : `Saves at least ${about(change)}${both(-change.perHour, showBriefly)}`;
    case "unknown":
      return change.unknown === change.of
        ? "Cost unknown"
        : `Cost unknown (${change.unknown} of ${count(change.of, "price")} missing)`;
  }
}

function both(perHour: number, show: (usd: number) => string): string {
  return `${show(perHour)}/h (${show(perHour * hoursPerMonth)}/month)`;
}

const mostItems = 3;

/** `32 more h100 in us-central-1`, `8 h200 instead of 8 h100 in us-central-1`; undefined where it is as much as before. */
function differenceIn(ending: readonly Billable[], starting: readonly Billable[], voice: Voice): string | undefined {
  const rows = gpusByPlace(ending, starting).map(({ model, region, before, after }) => ({
    model,
    region,
    more: after - before,
  }));
  const added = byModel(rows.filter(({ more }) => more > 0));
  const removed = byModel(rows.filter(({ more }) => more < 0));
  const storage = storageIn(ending, starting);
  const parts =
    added.length > 0 && removed.length > 0
      ? [insteadOf(added, removed, voice), ...storage]
      : [...added.map(worded("more", voice)), ...removed.map(worded("fewer", voice)), ...storage];
  if (parts.length === 0) return undefined;
  return parts.length > mostItems + 1 ? `${parts.slice(0, mostItems).join(", ")} and more` : parts.join(", ");
}

interface Amount {
  model: string;
  gpus: number;
  /** Undefined where some region is not known yet. */
  regions: (string | undefined)[];
}

/** The most GPUs first. */
function byModel(rows: readonly { model: string; region: string | undefined; more: number }[]): Amount[] {
  const amounts = [...groupBy(rows, ({ model }) => model)].map(([model, group]) => ({
    model,
    gpus: Math.abs(group.reduce((sum, { more }) => sum + more, 0)),
    regions: group.map(({ region }) => region),
  }));
  return amounts.sort((one, other) => other.gpus - one.gpus);
}

function insteadOf(added: readonly Amount[], removed: readonly Amount[], voice: Voice): string {
  const places = new Set([...added, ...removed].map((amount) => placeOf(amount, voice)));
  const place = places.size === 1 ? ([...places][0] ?? "") : undefined;
  const list = (amounts: readonly Amount[]) =>
    listOf(
      amounts.map((amount) => `${size(amount, voice)}${place === undefined ? placeOf(amount, voice) : ""}`),
      mostItems,
    );
  return `${list(added)} instead of ${list(removed)}${place ?? ""}`;
}

function worded(word: "more" | "fewer", voice: Voice) {
  return (amount: Amount) =>
    `${amount.gpus.toLocaleString("en-US")} ${word} ${modelOf(amount, voice)}${placeOf(amount, voice)}`;
}

function size(amount: Amount, voice: Voice): string {
  return `${amount.gpus.toLocaleString("en-US")} ${modelOf(amount, voice)}`;
}

function modelOf({ model }: Amount, voice: Voice): string {
  return model === unknownModel ? `of an ${unknownModel}` : voice.word(model);
}

const mostRegions = 3;

function placeOf({ regions }: Amount, voice: Voice): string {
  const known = regions.filter((region) => region !== undefined);
  if (known.length < regions.length) return "";
  return known.length > mostRegions
    ? ` in ${known.length} regions`
    : ` in ${listOf(known.map((region) => voice.word(region)))}`;
}

function storageIn(ending: readonly Billable[], starting: readonly Billable[]): string[] {
  const gigabytes = (billables: readonly Billable[]) =>
    billables.reduce((sum, { sizeInGb }) => sum + (sizeInGb ?? 0), 0);
  const more = gigabytes(starting) - gigabytes(ending);
  if (more === 0) return [];
  return [`${Math.abs(more).toLocaleString("en-US")} GB ${more > 0 ? "more" : "less"} storage`];
}
