import { beginOperation, endResource, originKey } from "../../../provider/lifecycle";
import { readDuration, showDuration } from "../../../provider/shared/duration";
import { dynamicPrefix } from "../../../provider/shared/typeToken";
import type { Orphan, Orphans, Situation } from "../../account";
import { ageOf, isVolume, showRate, sizeOf } from "../../money";
import { commandLine, quoteForShell } from "../../place";
import { definitionOf, nounOf, readActivity } from "../../stack";
import { statusLine } from "../../terminal";
import { judgeAge } from "./age";
import { volumesLeft } from "./volumesLeft";

export interface DeleteRequest {
  ids: readonly string[];
  /** Without it, the command only says what it would do. */
  yes: boolean;
  /** Whether volumes may be deleted. */
  allowDataLoss: boolean;
  /** The minimum age. */
  graceMs: number;
  say: (line: string) => void;
}

/** Deletes the orphans with these ids, all or none of them. Returns how many of this stack are left. */
export async function deleteOrphans(situation: Situation, orphans: Orphans, request: DeleteRequest): Promise<number> {
  const { say, yes } = request;
  const chosen = [...new Set(request.ids)].map((id) => choose(id, situation, orphans, request));
  const refusals = [...unreadStacks(orphans), ...chosen.filter((one) => typeof one === "string")];
  if (refusals.length > 0) throw new Error(`refused, and nothing was deleted: ${refusals.join("; ")}`);
  const deleted = chosen.filter((one) => typeof one !== "string");
  await refuseInProgress(situation, deleted);
  for (const orphan of deleted) say(`${yes ? "Deleting" : "Would delete"} ${describe(orphan)}`);
  const leftAt = (orphan: Orphan) => {
    const volumes = orphan.volumes.filter(({ type, id }) => !deleted.some((one) => one.type === type && one.id === id));
    return volumesLeft({ ...orphan, volumes }, orphans.own, yes);
  };
  if (!yes) {
    for (const line of deleted.flatMap(leftAt)) say(line);
    say("Nothing was deleted. Add --yes to delete.");
    return orphans.own.length;
  }
  // Machines before volumes, which cannot be deleted while they are attached.
  const inOrder = [...deleted.filter((orphan) => !isVolume(orphan)), ...deleted.filter(isVolume)];
  for (const orphan of inOrder) {
    await deleteOrphan(situation, orphan, say);
    for (const line of leftAt(orphan)) say(line);
  }
  return orphans.own.length - deleted.length;
}

/** What a run of this stack is still creating is no orphan, however long that takes. */
async function refuseInProgress({ stack }: Situation, deleted: readonly Orphan[]): Promise<void> {
  const begun = deleted.filter(({ interrupted }) => interrupted);
  if (begun.length === 0) return;
  const activity = await readActivity(stack);
  if (activity.kind !== "busy") return;
  const what = begun.map(({ id }) => id).join(", ");
  throw new Error(`refused, and nothing was deleted: a run of this stack may be creating ${what}: ${activity.reason}`);
}

/** Ends this very one: not the resource, which would end whatever else has its label. */
async function deleteOrphan(situation: Situation, orphan: Orphan, say: DeleteRequest["say"]): Promise<void> {
  const { identity, runtime } = situation;
  const { id, type, name, label, createdAt } = orphan;
  const definition = definitionOf(type);
  if (!definition) throw new Error(`there is no resource type ${type}`);
  const urn = `urn:pulumi:${identity.stack}::${identity.project}::${dynamicPrefix}${type}::${name}`;
  const state = { label, createdAt, [originKey]: `${identity.organization}/${urn}` };
  const timeout = readDuration(definition.timeouts.delete) ?? 0;
  const context = { ...beginOperation(runtime, definition, state[originKey], timeout), definition, inputs: state };
  const what = `${definition.noun} ${id}`;
  await statusLine.during(`Deleting ${what}…`, () => endResource(context, id, state));
  say(`Deleted ${what}.`);
}

/** What they hold is unknown, and may be what is to be deleted. */
function unreadStacks({ unread }: Orphans): string[] {
  return unread.map(({ name, reason }) => `the state of ${name} could not be read (${reason}), and may have it`);
}

/** The orphan with this id, or why it is not to be deleted. */
function choose(id: string, situation: Situation, orphans: Orphans, request: DeleteRequest): Orphan | string {
  const { graceMs, allowDataLoss } = request;
  const [orphan, another] = orphans.own.filter((one) => one.id === id);
  if (!orphan) return `${id} ${whyNot(id, situation, orphans)}`;
  const noun = nounOf(orphan.type);
  if (another) return `${id} is both a ${noun} and a ${nounOf(another.type)}: delete it where the service shows it`;
  if (isVolume(orphan) && !allowDataLoss) {
    return `${noun} ${id} has contents, which would be lost with it (--allow-data-loss)`;
  }
  const age = judgeAge(orphan, graceMs);
  return age.kind === "oldEnough" ? orphan : age.reason;
}

function whyNot(id: string, { own, name }: Situation, { held, otherStacks, others }: Orphans): string {
  const isIn = (list: readonly { id: string }[]) => list.some((one) => one.id === id);
  const holder = held.find((one) => one.id === id);
  const managed = own.find((one) => one.id === id);
  if (managed) {
    const command = commandLine(`pulumi destroy --target ${quoteForShell(managed.urn)}`);
    return `is in the state of ${name}: delete it with \`${command}\``;
  }
  if (holder) return `is in the state of ${holder.stack}: delete it there, with \`destroy --target\``;
  if (isIn(otherStacks)) return "was created by another stack";
  if (isIn(others)) return "was not created by this stack";
  return "does not exist in this account";
}

function describe(orphan: Orphan): string {
  const seconds = ageOf(orphan);
  const age = seconds === null ? "age unknown" : `${showDuration(seconds * 1000)} old`;
  return `${nounOf(orphan.type)} ${orphan.id} "${orphan.label}", ${sizeOf(orphan)}, ${age}, ${showRate(orphan) ?? "price unknown"}`;
}
