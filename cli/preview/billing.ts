import { type Billable, billablesOf } from "../money/billable";
import type { PriceBook } from "../money/priceBook";
import type { Change } from "./changes";

/** A change with what bills before and after it. */
export interface BilledChange extends Change {
  billedBefore: Billable[];
  billedAfter: Billable[];
}

/** Fills in what the marketplace's listing knows of a machine that is to be rented. */
export type Lookup = (billable: Billable) => Promise<Billable>;

/** Reckons what each change starts and stops. New things cost what others of their kind do, where such are known. */
export async function billChanges(
  changes: readonly Change[],
  book: PriceBook,
  lookUp: Lookup = async (billable) => billable,
): Promise<BilledChange[]> {
  const known = changes.map((change) => ({ change, before: before(change) }));
  for (const billable of known.flatMap((one) => one.before)) book.learn(billable);
  const billed = known.map(async ({ change, before }) => {
    const after = await Promise.all(billedAfter(change, before).map(lookUp));
    return { ...change, billedBefore: before, billedAfter: after.map((billable) => priced(billable, book)) };
  });
  return Promise.all(billed);
}

function before({ gpufleetType, name, before }: Change): Billable[] {
  return gpufleetType && before ? billablesOf(gpufleetType, name, { ...before.inputs, ...before.outputs }) : [];
}

function billedAfter(change: Change, before: readonly Billable[]): Billable[] {
  const { op, gpufleetType, name, before: old, after, retained } = change;
  if (!gpufleetType) return [];
  const staying = retained ? before : before.filter(({ outlives }) => outlives);
  switch (op) {
    case "delete":
      return [...staying];
    case "create":
    case "replace":
      return [...(op === "replace" ? staying : []), ...billablesOf(gpufleetType, name, after?.inputs ?? {})];
    case "update":
    case "same": {
      const keepVolume = after?.inputs["keepVolume"] ?? old?.inputs["keepVolume"];
      return billablesOf(gpufleetType, name, { ...old?.inputs, ...old?.outputs, keepVolume });
    }
  }
}

function priced(billable: Billable, book: PriceBook): Billable {
  if (billable.costPerHour !== undefined || billable.status !== undefined) return billable;
  const estimate = book.estimate(billable);
  return estimate === undefined ? billable : { ...billable, costPerHour: estimate, estimated: true };
}
