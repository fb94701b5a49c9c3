import { z } from "zod";
import { OperationUnavailableError } from "../../../provider/client";
import {
  describe,
  lookForOutcome,
  type OwnedInputs,
  type Ownership,
  type Rented,
  type Runtime,
  unfinishedKey,
  type Values,
  type View,
  type Work,
} from "../../../provider/lifecycle";
import { attachmentId } from "../../../provider/resources";
import { readLabel } from "../../../provider/shared/label";
import { readTimestamp } from "../../../provider/shared/timestamp";
import { volumeAttachmentType } from "../../stack";
import { contextFor, type ManagedResource } from "./managedResource";
import { leavesChoice, sizedInstances, traceOfInstance, withItsMachine } from "./marketplace";
import { awaitReadiness, outputsFor } from "./readiness";

/** The result of an interrupted create. */
export type Outcome =
  | Created
  | { kind: "notCreated"; reason: string }
  /** One may have been created, but there is no proof which one it is. */
  | { kind: "unresolved"; trace: string; reason: string };

export interface Created {
  kind: "created";
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
  /** When the lists can no longer lag, by the clock. */
  until: number;
  /** When the interrupted run began, if that is known. */
  since: number | undefined;
  /** How long to wait until what was found is ready, in milliseconds. */
  readyTimeout: number;
}

/** Looks for what an interrupted create has created. A service that does not reply is an error: nothing follows from it. */
export async function findOutcome(search: Search, managed: ManagedResource): Promise<Outcome> {
  const { rented } = managed.handler;
  if (!rented) return findAttachment(search, managed);
  const { adoptId } = managed.inputs;
  if (adoptId !== undefined) return { kind: "notCreated", reason: `it was to adopt ${adoptId}, which creates nothing` };
  const work = contextFor(search.runtime, managed, timeToSearch(search));
  const trace = traceOf(rented, managed);
  try {
    const doubt = { trace, idsBefore: undefined, asked: managed.inputs, until: search.until };
    const found = await lookForOutcome(work, ownershipFor(rented, managed), doubt);
    if (found.length === 0) return { kind: "notCreated", reason: whyNotCreated(rented, managed, trace) };
    const views = await Promise.all(found.map((view) => withItsMachine(work, view)));
    const proven = provenView(search, trace, views);
    if (proven) return finishCreated(search, work, managed, proven);
    return {
      kind: "unresolved",
      trace: traceOfInstance(work, views) ?? trace,
      reason: whyUnproven(work, trace, views),
    };
  } catch (error) {
    if (!(error instanceof OperationUnavailableError)) throw error;
    return { kind: "unresolved", trace, reason: `the service does not list ${rented.kind.plural}` };
  }
}

/** Waits a little for what was found to be ready, and returns it as its create would have. */
export async function finishCreated(
  { readyTimeout }: { readyTimeout: number },
  work: Work,
  managed: ManagedResource,
  found: View,
): Promise<Created> {
  const view = await awaitReadiness(work, managed, found, readyTimeout);
  const isPending = view.phase === "pending" && managed.inputs["waitForReady"] !== false;
  const outputs = outputsFor(work, managed, view);
  return {
    kind: "created",
    id: view.id,
    outputs: isPending ? { ...outputs, [unfinishedKey]: true } : outputs,
    description: describe(work, view),
    isPending,
  };
}

/**
 * An automatic label is proof, being the label of this very create. With a label that a person chose, or none, it is proof
 * that there is only one and that it was created since the interrupted run began.
 */
function provenView({ since }: Search, trace: string, [only, ...others]: View[]): View | undefined {
  if (!only || others.length > 0) return undefined;
  const created = readTimestamp(only.createdAt);
  const isSince = since !== undefined && created !== undefined && created >= since;
  return readLabel(trace) || isSince ? only : undefined;
}

function whyUnproven(work: Work, trace: string, views: readonly View[]): string {
  const named = views.map((view) => describe(work, view)).join(" and ");
  return readLabel(trace) ? `${named} all have its label` : `${named} may be it, or may have existed before`;
}

function traceOf({ ownership }: Rented, { inputs }: ManagedResource): string {
  const owned = ownedInputs.parse(inputs);
  return owned.label ?? ownership.trace?.(owned) ?? "";
}

function whyNotCreated({ noun }: Rented, { inputs }: ManagedResource, trace: string): string {
  return inputs["label"] === undefined
    ? `no ${noun} of its size is listed that is missing from the state`
    : `no live ${noun} "${trace}" is listed`;
}

function ownershipFor({ ownership }: Rented, { inputs }: ManagedResource): Ownership<OwnedInputs, unknown> {
  return leavesChoice(inputs) ? { ...ownership, candidates: sizedInstances(inputs) } : ownership;
}

/** Attachments and fleets' readiness do not bill, and can be created again without harm. */
async function findAttachment({ runtime }: Search, { handler, inputs }: ManagedResource): Promise<Outcome> {
  const { storageVolumeId, rentalIds } = inputs;
  if (handler.type !== volumeAttachmentType || !Array.isArray(rentalIds)) {
    return { kind: "notCreated", reason: "it does not bill, and can be created again" };
  }
  const id = attachmentId(Number(storageVolumeId), rentalIds.map(Number));
  const found = await handler.read(runtime, id, inputs);
  if (!found) return { kind: "notCreated", reason: `volume ${storageVolumeId} is attached to none of its rentals` };
  const outputs = { ...inputs, ...found.outputs };
  return { kind: "created", id, outputs, description: `the attachment of volume ${storageVolumeId}`, isPending: false };
}

/** Until the lists can no longer lag, and time for one more list. */
function timeToSearch({ runtime, until }: Search): number {
  return Math.max(0, until - runtime.clock.now()) + 60_000;
}

const ownedInputs = z.looseObject({
  waitForReady: z.boolean().default(true),
  label: z.string().optional(),
  region: z.string().optional(),
  fallbackRegions: z.array(z.string()).optional(),
});
