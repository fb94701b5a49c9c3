import { z } from "zod";
import { unresolvedFingerprint } from "../../provider/lifecycle";
import { type Billable, billablesOf, type PriceBook, readId, unresolvedStatus } from "../money";
import { fleetReadyType, nounOf } from "../stack";
import { billedOnce, matchAdoptions } from "./adoption";
import type { BilledChange } from "./billedChange";
import type { Change } from "./changes";

/** Fills in what the service knows of what is to be billed, all together. */
export type Lookup = (billables: readonly Billable[]) => Promise<Billable[]>;

/** Finds what each change starts and stops billing. A new resource costs what a similar one does, where one is known. */
export async function billChanges(
  changes: readonly Change[],
  book: PriceBook,
  lookUp: Lookup = async (billables) => [...billables],
): Promise<BilledChange[]> {
  const members = membersOf(changes);
  const before = billedOnce(
    changes,
    changes.map((change) => billedBefore(change, members)),
  );
  for (const billable of before.flat()) book.learn(billable);
  const price = async (groups: readonly Billable[][]) => {
    // A price of the book that the state has is that of then. What is looked up now is better than what others cost.
    const known = groups.flat().map((billable) => (billable.estimated ? estimatedBy(book, billable) : billable));
    const found = (await lookUp(known)).map((billable) =>
      billable.costPerHour === undefined ? estimatedBy(book, billable) : billable,
    );
    return groups.map((group) => found.splice(0, group.length));
  };
  const starting = await price(changes.map(startedBy));
  const ending = await price(before);
  const billed = changes.map((change, index) => {
    const [old = [], fresh = []] = [ending[index], starting[index]];
    return { ...change, billedBefore: old, billedAfter: [...stayingIn(change, old), ...fresh], starting: fresh };
  });
  return matchAdoptions(billed);
}

function billedBefore(
  { op, gpufleetType, name, before, after }: Change,
  members: ReadonlyMap<string, Member>,
): Billable[] {
  if (!gpufleetType || !before) return [];
  const seen = members.get(`${gpufleetType} ${before.id}`);
  // What is replaced ends as the program says now. What it says and cannot be seen keeps nothing.
  const now = op === "replace" ? { keepVolume: after?.inputs["keepVolume"] } : {};
  const known = { ...seen, ...before.inputs, ...before.outputs, ...now };
  const billed = withId(billablesOf(gpufleetType, name, known), before.id);
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

function startedBy({ op, gpufleetType, name, after, adopts }: Change): Billable[] {
  if (!gpufleetType || (op !== "create" && op !== "replace")) return [];
  const billed = billablesOf(gpufleetType, name, after?.inputs ?? {});
  if (!adopts) return billed;
  const id = readId(after?.id) ?? readId(after?.inputs["adoptId"]);
  return withId(billed, id).map((billable) => ({ ...billable, isAdopted: true }));
}

/** The first is the resource itself. */
function withId([own, ...others]: readonly Billable[], id: string | undefined): Billable[] {
  return own ? [{ ...own, id }, ...others] : [];
}

/** What of it bills on. */
function stayingIn({ op, retained }: Change, before: readonly Billable[]): Billable[] {
  if (op === "same" || op === "update" || retained) return [...before];
  return before.filter(({ outlives }) => outlives);
}

function estimatedBy(book: PriceBook, billable: Billable): Billable {
  const estimate = book.estimate(billable);
  return estimate === undefined ? billable : { ...billable, costPerHour: estimate, estimated: true };
}

/** "storage volume", "volume attachment"; undefined for what is not of this provider. */
export function kindOf({ gpufleetType }: Change): string | undefined {
  return gpufleetType === undefined ? undefined : nounOf(gpufleetType);
}
