import { unresolvedFingerprint } from "../../../provider/lifecycle";
import { readLabel } from "../../../provider/shared/label";
import { nameOf } from "../../../provider/shared/urn";
import type { FakeEngine, Kept } from "../../lifecycle/fakeEngine";
import { endInConsole } from "./console";
import { type Recovery, recoverAdopting, recoverNothingMade } from "./recover";
import type { MadeObject } from "./truth";

/** What a person knows of the service. */
interface Knowledge {
  /** What its console shows: what this stack has made, runs, and is in no state. */
  lost(): readonly MadeObject[];
  /** What a create of this resource has made that no state has under its id. */
  outcomeOf(urn: string): MadeObject | undefined;
  isListed(type: string): boolean;
  /** Whether somebody has what looks like a machine of this stack: then `up` proves nothing by itself. */
  hasLookalikes: boolean;
}

/**
 * Settles what only a person can: creates whose outcome nothing proves, as their errors say, and what killed runs have made
 * without a label of their own. The person looks into the console of the service, and knows the truth.
 */
export async function settle(recovery: Recovery, knowledge: Knowledge): Promise<string[]> {
  const { lost, outcomeOf } = knowledge;
  const said: string[] = [];
  const unresolvedUrns = (stack: FakeEngine) => urnsOfUnresolved(stack, knowledge);
  for (const urn of unresolvedUrns(recovery.stack)) {
    const outcome = outcomeOf(urn);
    const isReplaced = recovery.stack.condemned.some((kept) => urnOf(recovery.stack, kept) === urn);
    if (outcome && isReplaced) await end(recovery, outcome);
    // Where the service ends nothing, it must be taken over.
    const left = outcomeOf(urn);
    if (left) said.push(...(await recoverAdopting(recovery, left.id, urn)));
    if (!unresolvedUrns(recovery.stack).includes(urn)) continue;
    const answer = await recoverNothingMade(recovery, urn);
    // What was made under another name of the resource is named by the refusal.
    const [, named] = /`gpufleet recover --adopt (\S+) --urn/.exec(answer.join("\n")) ?? [];
    said.push(...answer, ...(named === undefined ? [] : await recoverAdopting(recovery, named, urn)));
  }
  for (const { urn, id, rentalId } of lost()) {
    // What was rented by hand was made for no resource.
    if (urn === "" || rentalId !== undefined || recovery.stack.state.has(nameOf(urn))) continue;
    said.push(...(await recoverAdopting(recovery, id, urn)));
  }
  for (const one of lost()) await end(recovery, one);
  return said;
}

/** Resources of which the state still has a create without a known outcome, although `up` has looked for it. */
function urnsOfUnresolved(stack: FakeEngine, { isListed, hasLookalikes }: Knowledge): string[] {
  const entries = [...stack.condemned, ...stack.state.values()];
  const unresolved = entries.filter(
    (kept) =>
      unresolvedFingerprint(kept.id) !== undefined &&
      isListed(kept.type) &&
      !isTakenOver(stack, kept) &&
      (hasLookalikes || !isEndedByUp(stack, kept)),
  );
  return [...new Set(unresolved.map((kept) => urnOf(stack, kept)))];
}

/** Whether `up` has found what it made, and only a run that succeeds is needed to drop this entry. */
function isTakenOver({ state }: FakeEngine, { id, name }: Kept): boolean {
  const successor = state.get(name);
  return successor?.id !== id && successor?.outputs["label"] === unresolvedFingerprint(id);
}

/** Whether it was replaced, and its label proves what it made: the next run that succeeds ends that. */
function isEndedByUp({ condemned }: FakeEngine, kept: Kept): boolean {
  return condemned.includes(kept) && readLabel(unresolvedFingerprint(kept.id)) !== undefined;
}

function urnOf(stack: FakeEngine, { type, name }: Kept): string {
  return stack.urn(type, name);
}

/** A volume can be deleted only when it is no longer attached; that may take the end of its rental. */
async function end({ rig }: Recovery, { type, id }: MadeObject): Promise<void> {
  const pairs = rig.emulator
    .attachments()
    .filter(({ volumeId }) => type === "StorageVolume" && String(volumeId) === id);
  for (const { volumeId, rentalId } of pairs) {
    const request = { storageVolumeId: Number(volumeId), rentalIds: [Number(rentalId)] };
    const waitForRental = () => rig.clock.sleep(60_000);
    await rig.run(rig.client.detachStorageVolume(request).then(() => undefined, waitForRental));
  }
  await rig.run(endInConsole(rig.client, type, id));
}
