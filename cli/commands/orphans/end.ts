import { handlers } from "../../../provider";
import { showDuration } from "../../../provider/lifecycle";
import type { Situation } from "../../account";
import { ageAt, type BillableKind, sizeOf, usdPerHour } from "../../money";
import type { Orphan, Orphans } from "./sort";

export interface EndRequest {
  ids: readonly string[];
  /** Without it, nothing is done but said. */
  yes: boolean;
  /** How old one must be. */
  graceMs: number;
  now: number;
  say: (line: string) => void;
}

const types: Readonly<Record<BillableKind, string>> = {
  "bare-metal rental": "BareMetalRental",
  "virtual machine": "VmRental",
  "storage volume": "StorageVolume",
  "marketplace instance": "MarketplaceInstance",
};

/** Ends the orphans with these ids, all or none of them. Returns how many of this stack are left. */
export async function endOrphans(situation: Situation, orphans: Orphans, request: EndRequest): Promise<number> {
  const { say, yes, now } = request;
  const chosen = [...new Set(request.ids)].map((id) => choose(id, situation, orphans, request));
  const refusals = chosen.filter((one) => typeof one === "string");
  if (refusals.length > 0) throw new Error(`refused, and nothing was ended: ${refusals.join("; ")}`);
  const ended = chosen.filter((one) => typeof one !== "string");
  for (const orphan of ended) say(`${yes ? "Ending" : "Would end"} ${describe(orphan, now)}`);
  if (!yes) {
    say("Nothing was ended. Add --yes to do it.");
    return orphans.own.length;
  }
  // Machines before volumes, which cannot go while they are attached.
  for (const orphan of ended.filter(({ kind }) => kind !== "storage volume")) await end(situation, orphan, say);
  for (const orphan of ended.filter(({ kind }) => kind === "storage volume")) await end(situation, orphan, say);
  return orphans.own.length - ended.length;
}

async function end({ runtime }: Situation, orphan: Orphan, say: EndRequest["say"]): Promise<void> {
  const { id, kind, label, createdAt } = orphan;
  const handler = handlers.get(types[kind]);
  if (!handler) throw new Error(`nothing here can end a ${kind}`);
  await handler.delete(runtime, id, { label, createdAt });
  say(`Ended ${kind} ${id}.`);
}

/** The orphan of this id, or why it is not to be ended. */
function choose(id: string, situation: Situation, orphans: Orphans, { graceMs, now }: EndRequest): Orphan | string {
  const [orphan, another] = orphans.own.filter((one) => one.id === id);
  if (another) return `${id} is both a ${orphan?.kind} and a ${another.kind}; end it where the service shows it`;
  if (!orphan) return `${id} ${whyNot(id, situation, orphans)}`;
  const age = ageAt(orphan, now);
  if (age === null) return `how old ${orphan.kind} ${id} is, is not known`;
  if (age * 1000 < graceMs) {
    return `${orphan.kind} ${id} is only ${showDuration(age * 1000)} old, and may be on its way into the state (--grace-minutes)`;
  }
  return orphan;
}

function whyNot(id: string, { own, name }: Situation, { foreign, unmarked }: Orphans): string {
  if (own.some((one) => one.id === id)) return `is in the state of ${name}: end it with pulumi destroy --target`;
  if (foreign.some((one) => one.id === id)) return "bears the mark of another stack";
  if (unmarked.some((one) => one.id === id)) return "bears no mark";
  return "is nothing that the account has";
}

function describe(orphan: Orphan, now: number): string {
  const age = showDuration((ageAt(orphan, now) ?? 0) * 1000);
  const price = orphan.costPerHour === undefined ? "price unknown" : usdPerHour(orphan.costPerHour);
  return `${orphan.kind} ${orphan.id} "${orphan.label}", ${sizeOf(orphan)}, ${age} old, ${price}`;
}
