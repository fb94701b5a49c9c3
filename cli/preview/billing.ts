import { z } from "zod";
import { unresolvedFingerprint } from "../../provider/lifecycle";
import { type Billable, billablesOf, type PriceBook, unresolvedStatus } from "../money";
import { fleetReadyType, nounOf } from "../stack";
import type { Change } from "./changes";

/** A change, with what bills before and after it. */
export interface BilledChange extends Change {
  billedBefore: Billable[];
  billedAfter: Billable[];
}

/** Fills in what the marketplace's listing knows of a machine that is to be rented. */
export type Lookup = (billable: Billable) => Promise<Billable>;

/** Finds what each change starts and stops billing. A new resource costs what a similar one does, where one is known. */
export async function billChanges(
  changes: readonly Change[],
  book: PriceBook,
  lookUp: Lookup = async (billable) => billable,
): Promise<BilledChange[]> {
  const members = membersOf(changes);
  const known = changes.map((change) => ({ change, before: billedBefore(change, members) }));
  for (const billable of known.flatMap((one) => one.before)) book.learn(billable);
  const billed = known.map(async ({ change, before }) => {
    const after = await Promise.all(billedAfter(change, before).map(lookUp));
    const price = (billable: Billable) => priced(billable, book);
    return { ...change, billedBefore: before.map(price), billedAfter: after.map(price) };
  });
  return Promise.all(billed);
}

function billedBefore({ gpufleetType, name, before }: Change, members: ReadonlyMap<string, Member>): Billable[] {
  if (!gpufleetType || !before) return [];
  const seen = members.get(`${gpufleetType} ${before.id}`);
  const billed = billablesOf(gpufleetType, name, { ...seen, ...before.inputs, ...before.outputs });
  const isUnresolved = before.id !== undefined && unresolvedFingerprint(before.id) !== undefined;
  return isUnresolved ? billed.map((billable) => ({ ...billable, status: unresolvedStatus })) : billed;
}

const gate = z.object({
  kind: z.enum(["bare-metal", "vm"]),
  members: z.array(z.object({ id: z.string(), costPerHour: z.number().optional(), status: z.string().optional() })),
});
type Member = z.output<typeof gate>["members"][number];

/** Members of a fleet are created without waiting, so only the resource that waits for them knows what they cost. */
function membersOf(changes: readonly Change[]): Map<string, Member> {
  const members = new Map<string, Member>();
  for (const { gpufleetType, before } of changes) {
    const seen =
      gpufleetType === fleetReadyType ? gate.safeParse({ ...before?.inputs, ...before?.outputs }) : undefined;
    const type = seen?.data?.kind === "vm" ? "VmRental" : "BareMetalRental";
    for (const member of seen?.data?.members ?? []) members.set(`${type} ${member.id}`, member);
  }
  return members;
}

function billedAfter(change: Change, before: readonly Billable[]): Billable[] {
  const { op, gpufleetType, name, after, retained } = change;
  if (!gpufleetType) return [];
  const staying = retained ? before : before.filter(({ outlives }) => outlives);
  switch (op) {
    case "delete":
      return [...staying];
    case "create":
    case "replace":
      return [...(op === "replace" ? staying : []), ...billablesOf(gpufleetType, name, after?.inputs ?? {})];
    case "update":
    case "same":
      return [...before];
  }
}

function priced(billable: Billable, book: PriceBook): Billable {
  if (billable.costPerHour !== undefined) return billable;
  const estimate = book.estimate(billable);
  return estimate === undefined ? billable : { ...billable, costPerHour: estimate, estimated: true };
}

/** "storage volume", "volume attachment"; undefined for what is not of this provider. */
export function kindOf({ gpufleetType }: Change): string | undefined {
  return gpufleetType === undefined ? undefined : nounOf(gpufleetType);
}
