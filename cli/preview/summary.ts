import { cleanText } from "../../provider/shared/cleanText";
import { roundUsd } from "../../provider/shared/money";
import {
  type Billable,
  canBeInBook,
  compare,
  type GpuPlaceRow,
  type GpuRow,
  gpusByModel,
  gpusByPlace,
  gpusByRegion,
  type RegionRow,
  type Sum,
  sumOf,
} from "../money";
import { fleetEndedType, fleetReadyType } from "../stack";
import type { BilledChange } from "./billedChange";
import { countNotShown, identityOf } from "./changes";
import { type CostChange, costChangeOf, isDifferent } from "./costChange";
import { type FleetChange, fleetOf, groupByFleet } from "./fleets";
import { peakOf } from "./peak";
import type { Policies } from "./policies";
import { type Problem, problemsOf } from "./problems";
import type { Preview } from "./readPreview";
import { type Warning, warningsOf } from "./warnings";

/** Everything that a comment says, before it is put into words. */
export interface Summary {
  project: string;
  stack: string;
  /** Why the preview failed; empty when it did not. */
  problems: Problem[];
  warnings: Warning[];
  before: Sum;
  after: Sum;
  /** The most that runs at once while the change is applied. */
  peak: Sum;
  /** The known part of what the change adds, and how many prices on its two sides are not known. No figure for people. */
  delta: Sum;
  /** What the change does to the cost, as far as that can be said. */
  costChange: CostChange;
  /** What starts and stops billing. */
  starting: Billable[];
  ending: Billable[];
  /** Unchanged resources that the preview counts but does not show. */
  notShown: number;
  /** What has no known price, after the change. */
  unpriced: Unpriced[];
  gpus: GpuRow[];
  gpuPlaces: GpuPlaceRow[];
  storageGb: { before: number; after: number };
  regions: RegionRow[];
  /** What is created, replaced, updated or deleted, in a stable order. */
  changes: BilledChange[];
  /** Those by fleet, and the rest. */
  fleets: FleetChange[];
  others: BilledChange[];
  policies: Policies | undefined;
  /** Of each account that the stack rents from, where it could be read. */
  balances: Balance[];
}

export interface Unpriced {
  name: string;
  /** The fleet that it is a part of. */
  fleet: string | undefined;
  /** Whether a price book can have its price. */
  isInBook: boolean;
}

export interface Balance {
  /** `provider "other"`; undefined for the account of the configuration. */
  account: string | undefined;
  usd: number;
  /** What the whole account runs now, this stack included. */
  running: Sum;
  /** The known part of what the change adds to that, and how many prices are unknown. */
  delta: Sum;
}

/** The most drastic first. */
const opOrder = ["delete", "replace", "update", "create"];

export interface SummaryInput {
  preview: Preview;
  /** All changes, unchanged resources included. */
  changes: readonly BilledChange[];
  policies?: Policies | undefined;
  balances?: Balance[] | undefined;
  /** What must not be shown. */
  secrets?: readonly string[] | undefined;
}

export function summarize({ preview, changes, policies, balances = [], secrets = [] }: SummaryInput): Summary {
  const { project, stack } = identityOf(preview) ?? { project: "unknown", stack: "unknown" };
  const clean = (text: string) => cleanText(text, { secrets, hasOwnWords: true });
  const before = changes.flatMap(({ billedBefore }) => billedBefore);
  const after = changes.flatMap(({ billedAfter }) => billedAfter);
  const differing = changes.filter(isDifferent);
  const starting = differing.flatMap(({ billedAfter }) => billedAfter);
  const ending = differing.flatMap(({ billedBefore }) => billedBefore);
  const changed = sortChanges(changes.filter(isShown));
  return {
    project: clean(project),
    stack: clean(stack),
    problems: problemsOf(preview, policies, secrets),
    warnings: warningsOf(changed),
    before: sumOf(before),
    after: sumOf(after),
    peak: peakOf(changes),
    delta: deltaOf(changes),
    costChange: costChangeOf(changes),
    starting,
    ending,
    notShown: countNotShown(preview, changes),
    unpriced: unpricedIn(changes),
    gpus: gpusByModel(before, after),
    gpuPlaces: gpusByPlace(before, after),
    storageGb: { before: gigabytes(before), after: gigabytes(after) },
    regions: gpusByRegion(after),
    changes: changed,
    ...groupByFleet(changes, changed),
    policies,
    balances,
  };
}

/** Only what differs counts: an unknown price that stays is no unknown change. */
export function deltaOf(changes: readonly BilledChange[]): Sum {
  const differing = changes.filter(isDifferent);
  const after = sumOf(differing.flatMap(({ billedAfter }) => billedAfter));
  const before = sumOf(differing.flatMap(({ billedBefore }) => billedBefore));
  return {
    perHour: roundUsd(after.perHour - before.perHour),
    known: before.known + after.known,
    unknown: before.unknown + after.unknown,
    estimated: before.estimated || after.estimated,
  };
}

/** The same for the account that pays: what is taken over runs already, and `isListed` says whether it is in the account's sum. */
export function accountDeltaOf(changes: readonly BilledChange[], isListed: (billable: Billable) => boolean): Sum {
  const others = (billables: readonly Billable[]) => billables.filter((one) => !(one.isAdopted && isListed(one)));
  return deltaOf(
    changes.map((change) => ({
      ...change,
      billedBefore: others(change.billedBefore),
      billedAfter: others(change.billedAfter),
    })),
  );
}

function unpricedIn(changes: readonly BilledChange[]): Unpriced[] {
  return changes
    .flatMap((change) =>
      change.billedAfter
        .filter(({ costPerHour }) => costPerHour === undefined)
        .map((billable) => ({
          name: billable.name,
          fleet: fleetOf(change)?.name,
          isInBook: canBeInBook(billable),
        })),
    )
    .sort((one, other) => compare(one.name, other.name));
}

/** What waits for a fleet does nothing else, and a component is nothing but its parts. */
function isShown({ op, gpufleetType, before, after }: BilledChange): boolean {
  const isGate = gpufleetType === fleetReadyType || gpufleetType === fleetEndedType;
  return op !== "same" && !isGate && (after ?? before)?.custom !== false;
}

function sortChanges(changes: readonly BilledChange[]): BilledChange[] {
  return [...changes].sort(
    (one, other) =>
      opOrder.indexOf(one.op) - opOrder.indexOf(other.op) ||
      compare(one.type, other.type) ||
      compare(one.name, other.name) ||
      compare(one.urn, other.urn),
  );
}

function gigabytes(billables: readonly Billable[]): number {
  return billables.reduce((sum, { sizeInGb }) => sum + (sizeInGb ?? 0), 0);
}
