import { showDuration } from "../../../provider/shared/duration";
import { showPerHour } from "../../../provider/shared/money";
import type { Situation } from "../../account";
import { ageAt, isVolume, sizeOf } from "../../money";
import { handlerOf, nounOf } from "../../stack";
import { statusLine } from "../../terminal";
import type { Orphan, Orphans } from "./groupOrphans";

export interface DeleteRequest {
  ids: readonly string[];
  /** Without it, the command only says what it would do. */
  yes: boolean;
  /** The minimum age. */
  graceMs: number;
  now: number;
  say: (line: string) => void;
}

/** Deletes the orphans with these ids, all or none of them. Returns how many of this stack are left. */
export async function deleteOrphans(situation: Situation, orphans: Orphans, request: DeleteRequest): Promise<number> {
  const { say, yes, now } = request;
  const chosen = [...new Set(request.ids)].map((id) => choose(id, situation, orphans, request));
  const refusals = chosen.filter((one) => typeof one === "string");
  if (refusals.length > 0) throw new Error(`refused, and nothing was deleted: ${refusals.join("; ")}`);
  const deleted = chosen.filter((one) => typeof one !== "string");
  for (const orphan of deleted) say(`${yes ? "Deleting" : "Would delete"} ${describe(orphan, now)}`);
  if (!yes) {
    say("Nothing was deleted. Add --yes to delete.");
    return orphans.own.length;
  }
  // Machines before volumes, which cannot be deleted while they are attached.
  const inOrder = [...deleted.filter((orphan) => !isVolume(orphan)), ...deleted.filter(isVolume)];
  for (const orphan of inOrder) await deleteOrphan(situation, orphan, say);
  return orphans.own.length - deleted.length;
}

async function deleteOrphan({ runtime }: Situation, orphan: Orphan, say: DeleteRequest["say"]): Promise<void> {
  const { id, type, label, createdAt } = orphan;
  const handler = handlerOf(type);
  if (!handler) throw new Error(`there is no resource type ${type}`);
  const what = `${nounOf(type)} ${id}`;
  await statusLine.during(`Deleting ${what}…`, () => handler.delete(runtime, id, { label, createdAt }));
  say(`Deleted ${what}.`);
}

/** The orphan with this id, or why it is not to be deleted. */
function choose(id: string, situation: Situation, orphans: Orphans, request: DeleteRequest): Orphan | string {
  const { graceMs, now } = request;
  const [orphan, another] = orphans.own.filter((one) => one.id === id);
  if (!orphan) return `${id} ${whyNot(id, situation, orphans)}`;
  const noun = nounOf(orphan.type);
  if (another) return `${id} is both a ${noun} and a ${nounOf(another.type)}: delete it where the service shows it`;
  const age = ageAt(orphan, now);
  if (age === null) return `the age of ${noun} ${id} is unknown`;
  if (age * 1000 < graceMs) {
    return `${noun} ${id} is only ${showDuration(age * 1000)} old: another run may be creating it (--grace-minutes)`;
  }
  return orphan;
}

function whyNot(id: string, { own, name }: Situation, { otherStacks, others }: Orphans): string {
  const isIn = (list: readonly { id: string }[]) => list.some((one) => one.id === id);
  if (isIn(own)) return `is in the state of ${name}: delete it with pulumi destroy --target`;
  if (isIn(otherStacks)) return "was created by another stack";
  if (isIn(others)) return "was not created by this stack";
  return "does not exist in this account";
}

function describe(orphan: Orphan, now: number): string {
  const age = showDuration((ageAt(orphan, now) ?? 0) * 1000);
  const price = orphan.costPerHour === undefined ? "price unknown" : showPerHour(orphan.costPerHour);
  return `${nounOf(orphan.type)} ${orphan.id} "${orphan.label}", ${sizeOf(orphan)}, ${age} old, ${price}`;
}
