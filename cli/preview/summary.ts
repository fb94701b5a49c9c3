import { cleanText } from "../../provider/shared/cleanText";
import { roundUsd } from "../../provider/shared/money";
import {
  type Billable,
  compare,
  type GpuRow,
  gpusByModel,
  gpusByRegion,
  type RegionRow,
  type Sum,
  sumOf,
} from "../money";
import { fleetEndedType, fleetReadyType } from "../stack";
import type { BilledChange } from "./billing";
import { countNotShown, identityOf } from "./changes";
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
  /** What the change adds, and how many prices on its two sides are not known. */
  delta: Sum;
  /** Whether some price is that of another of its kind. */
  estimated: boolean;
  /** Unchanged resources that the preview counts but does not show. */
  notShown: number;
  /** Names of what has no known price, after the change. */
  unpriced: string[];
  gpus: GpuRow[];
  storageGb: { before: number; after: number };
  regions: RegionRow[];
  /** What is created, replaced, updated or deleted, in a stable order. */
  changes: BilledChange[];
  policies: Policies | undefined;
  balance: Balance | undefined;
}

export interface Balance {
  usd: number;
  /** What the whole account runs now, this stack included. */
  running: Sum;
}

/** The most drastic first. */
const opOrder = ["delete", "replace", "update", "create"];

export interface SummaryInput {
  preview: Preview;
  /** All changes, unchanged resources included. */
  changes: readonly BilledChange[];
  policies?: Policies | undefined;
  balance?: Balance | undefined;
  /** What must not be shown. */
  secrets?: readonly string[] | undefined;
}

export function summarize({ preview, changes, policies, balance, secrets = [] }: SummaryInput): Summary {
  const { project, stack } = identityOf(preview) ?? { project: "unknown", stack: "unknown" };
  const clean = (text: string) => cleanText(text, { secrets });
  const before = changes.flatMap(({ billedBefore }) => billedBefore);
  const after = changes.flatMap(({ billedAfter }) => billedAfter);
  const changed = sortChanges(changes.filter(isShown));
  return {
    project: clean(project),
    stack: clean(stack),
    problems: problemsOf(preview, policies, secrets),
    warnings: warningsOf(changed),
    before: sumOf(before),
    after: sumOf(after),
    delta: deltaOf(changes),
    estimated: after.some(({ estimated }) => estimated),
    notShown: countNotShown(preview, changes),
    unpriced: after
      .filter(({ costPerHour }) => costPerHour === undefined)
      .map(({ name }) => name)
      .sort(compare),
    gpus: gpusByModel(before, after),
    storageGb: { before: gigabytes(before), after: gigabytes(after) },
    regions: gpusByRegion(after),
    changes: changed,
    policies,
    balance,
  };
}

/** Only what differs counts: an unknown price that stays is no unknown change. */
function deltaOf(changes: readonly BilledChange[]): Sum {
  const differing = changes.filter(({ op }) => op !== "same" && op !== "update");
  const before = sumOf(differing.flatMap(({ billedBefore }) => billedBefore));
  const after = sumOf(differing.flatMap(({ billedAfter }) => billedAfter));
  return {
    perHour: roundUsd(after.perHour - before.perHour),
    known: before.known + after.known,
    unknown: before.unknown + after.unknown,
  };
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
