import { z } from "zod";
import { OperationUnavailableError } from "../../../provider/client";
import {
  describe,
  lookForOutcome,
  type OwnedInputs,
  type Ownership,
  type Rented,
  type Runtime,
  readLabel,
  unfinishedKey,
  type Values,
  type View,
  type Work,
} from "../../../provider/lifecycle";
import { attachmentId } from "../../../provider/resources/volumeAttachment";
import { readTimestamp } from "../../../provider/service";
import { type Subject, workOn } from "./managedResource";
import { leavesChoice, sizedInstances, traceOfInstance, withItsMachine } from "./marketplace";
import { awaitReadiness, outputsFor } from "./readiness";

/** What became of a create that was interrupted. */
export type Outcome =
  | Made
  | { is: "nothing"; because: string }
  /** One may have been made, and which one it is cannot be proven. */
  | { is: "unresolved"; trace: string; because: string };

export interface Made {
  is: "made";
  id: string;
  /** As the provider's own create would have returned them. */
  outputs: Values;
  /** For people: `bare-metal rental 1042 "train-…" (Running, …)`. */
  description: string;
  /** The next `pulumi up` has to go on waiting. */
  isPending: boolean;
}

export interface Search {
  runtime: Runtime;
  /** Until when the lists may lack what was made, by the clock. */
  until: number;
  /** When the run began that was interrupted, if that is known. */
  since: number | undefined;
  /** How long to wait for what was made to be ready, in milliseconds. */
  patience: number;
}

/** Looks for what an interrupted create has made. A service that cannot be asked is an error: nothing is concluded from it. */
export async function findOutcome(search: Search, subject: Subject): Promise<Outcome> {
  const { rented } = subject.handler;
  if (!rented) return findUnrented(search, subject);
  const { adoptId } = subject.inputs;
  if (adoptId !== undefined) return { is: "nothing", because: `it was to adopt ${adoptId}, which makes nothing` };
  const work = workOn(search.runtime, subject, timeToLook(search));
  const trace = traceOf(rented, subject);
  try {
    const doubt = { trace, idsBefore: undefined, asked: subject.inputs, until: search.until };
    const found = await lookForOutcome(work, ownershipFor(rented, subject), doubt);
    if (found.length === 0) return { is: "nothing", because: whyNothing(rented, subject, trace) };
    const views = await Promise.all(found.map((view) => withItsMachine(work, view)));
    const proven = provenOutcome(search, trace, views);
    if (proven) return settleMade(search, work, subject, proven);
    return { is: "unresolved", trace: traceOfInstance(work, views) ?? trace, because: whyUnproven(work, trace, views) };
  } catch (error) {
    if (!(error instanceof OperationUnavailableError)) throw error;
    return { is: "unresolved", trace, because: `the service has no list of ${rented.kind.plural}` };
  }
}

/** Takes what was found for what was made: waits a little for it, and notes it as its create would have. */
export async function settleMade(
  { patience }: { patience: number },
  work: Work,
  subject: Subject,
  found: View,
): Promise<Made> {
  const view = await awaitReadiness(work, subject, found, patience);
  const isPending = view.phase === "pending" && subject.inputs["waitForReady"] !== false;
  const outputs = outputsFor(work, subject, view);
  return {
    is: "made",
    id: view.id,
    outputs: isPending ? { ...outputs, [unfinishedKey]: true } : outputs,
    description: describe(work, view),
    isPending,
  };
}

/**
 * An automatic label is proof, being the label of this very create. With a label that a person chose, or none, it is proof
 * that there is only one and that it was made since the interrupted run began.
 */
function provenOutcome({ since }: Search, trace: string, [only, ...others]: View[]): View | undefined {
  if (!only || others.length > 0) return undefined;
  const created = readTimestamp(only.createdAt);
  const isSince = since !== undefined && created !== undefined && created >= since;
  return readLabel(trace) || isSince ? only : undefined;
}

function whyUnproven(work: Work, trace: string, views: readonly View[]): string {
  const named = views.map((view) => describe(work, view)).join(" and ");
  return readLabel(trace) ? `${named} all have its label` : `${named} may be it, or may have been there before`;
}

function traceOf({ ownership }: Rented, { inputs }: Subject): string {
  const owned = ownedInputs.parse(inputs);
  return owned.label ?? ownership.trace?.(owned) ?? "";
}

function whyNothing({ noun }: Rented, { inputs }: Subject, trace: string): string {
  return inputs["label"] === undefined
    ? `no ${noun} of its size is listed that is not in the state`
    : `no live ${noun} "${trace}" is listed`;
}

function ownershipFor({ ownership }: Rented, { inputs }: Subject): Ownership<OwnedInputs, unknown> {
  return leavesChoice(inputs) ? { ...ownership, candidates: sizedInstances(inputs) } : ownership;
}

/** Attachments and gates bill nothing, and to make them twice is to make them once. */
async function findUnrented({ runtime }: Search, { handler, inputs }: Subject): Promise<Outcome> {
  const { storageVolumeId, rentalIds } = inputs;
  if (handler.type !== "VolumeAttachment" || !Array.isArray(rentalIds)) {
    return { is: "nothing", because: "it is nothing that bills, and can be made again" };
  }
  const id = attachmentId(Number(storageVolumeId), rentalIds.map(Number));
  const found = await handler.read(runtime, id, inputs);
  if (!found) return { is: "nothing", because: `volume ${storageVolumeId} is attached to none of its rentals` };
  const outputs = { ...inputs, ...found.outputs };
  return { is: "made", id, outputs, description: `the attachment of volume ${storageVolumeId}`, isPending: false };
}

/** The window, and time for the look at its end. */
function timeToLook({ runtime, until }: Search): number {
  return Math.max(0, until - runtime.clock.now()) + 60_000;
}

const ownedInputs = z.looseObject({
  waitForReady: z.boolean().default(true),
  label: z.string().optional(),
  region: z.string().optional(),
  fallbackRegions: z.array(z.string()).optional(),
});
