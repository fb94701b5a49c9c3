import { OperationUnavailableError } from "../../../provider/client";
import {
  describe,
  findOutcomes,
  fingerprintOf,
  hasOwnMark,
  heldAnywhere,
  type LifecycleInputs,
  listOf,
  lookalikesIn,
  mayBeIt,
  noteTwins,
  type OperationContext,
  othersWithMark,
  predecessorsKey,
  RefusedError,
  type ResourceDefinition,
  type Runtime,
  timeLimit,
  type Unresolved,
  unfinishedKey,
  type Values,
  type View,
  WaitTimeoutError,
  withRemembered,
} from "../../../provider/lifecycle";
import { attachmentId } from "../../../provider/resources";
import { messageOf } from "../../../provider/shared/messageOf";
import { inQuotes } from "../../../provider/shared/shell";
import { commandLine } from "../../place";
import { volumeAttachmentType } from "../../stack";
import { creationFor, type ManagedResource } from "./managedResource";
import { awaitReadiness, outputsFor } from "./readiness";

/** The result of an interrupted create. */
export type Outcome = Created | { kind: "notCreated"; reason: string } | UnresolvedCreate;

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

/** One may have been created, but there is no proof which one it is. */
export interface UnresolvedCreate {
  kind: "unresolved";
  /** Its label, or what stands in for it. */
  fingerprint: string;
  isChosenLabel: boolean;
  /** Why, with the commands that settle it. */
  reason: string;
  /** Whether what may be it can be seen, and so be taken over. */
  isListed: boolean;
  /** From when on it may have been sent. */
  since: number;
}

export interface Search {
  runtime: Runtime;
  /** How long to wait until what was found is ready, in milliseconds. */
  readyTimeout: number;
  /** When the engine last wrote the state: the creates that were interrupted had begun by then, and were not over. */
  stateTime?: number | undefined;
}

/** Beyond the time that lists may lag: for the last look. */
const spareTime = 60_000;

/**
 * Looks for what an interrupted create has created. Only its automatic label is proof; where there is none, what may be the
 * result is named, and nothing is taken. A service that does not reply is an error: nothing follows from it.
 */
export async function findOutcome(search: Search, managed: ManagedResource): Promise<Outcome> {
  const { runtime } = search;
  const definition = managed.handler.owned;
  if (!definition) return findAttachment(search, managed);
  const { adoptId } = managed.inputs;
  if (adoptId !== undefined) return { kind: "notCreated", reason: `it was to adopt ${adoptId}, which creates nothing` };
  const context = creationFor(runtime, definition, managed.inputs, runtime.settings.listLagMs + spareTime);
  const create = unresolvedIn(context, earliestStart(search, definition, managed));
  try {
    const [found, ...twins] = await findOutcomes(context, create, { heldBy: heldAnywhere });
    if (!found) return { kind: "notCreated", reason: whyNotCreated(definition, create) };
    const others = await othersWithMark(context, found.id);
    // What the same request has created was not there before it.
    const predecessors = others.predecessors.filter((id) => !twins.some((twin) => twin.id === id));
    const carried = predecessors.length > 0 ? { [predecessorsKey]: predecessors } : {};
    return await finishCreated(search, context, managed, found, carried);
  } catch (error) {
    const why = await whyUnresolved(context, create, error);
    const { label } = context.inputs;
    return {
      kind: "unresolved",
      fingerprint: create.fingerprint,
      isChosenLabel: label !== undefined && !create.isProof,
      since: create.since,
      ...why,
    };
  }
}

/** Waits a little for what was found to be ready, and returns it as its create would have. */
export async function finishCreated(
  { readyTimeout }: Pick<Search, "readyTimeout">,
  context: OperationContext,
  managed: ManagedResource,
  found: View,
  carried: Values = {},
): Promise<Created> {
  const view = await awaitReadiness(context, managed, found, readyTimeout);
  const isPending = view.phase === "pending" && managed.inputs["waitForReady"] !== false;
  const begun = { ...context, inputs: { ...Object(context.inputs) } };
  const twins = await noteTwins(begun, view.id);
  const outputs = await withRemembered(begun, view.id, outputsFor(context, managed, view, { ...carried, ...twins }));
  return {
    kind: "created",
    id: view.id,
    outputs: isPending ? { ...outputs, [unfinishedKey]: true } : outputs,
    description: describe(context, view),
    isPending,
  };
}

/**
 * Before this the interrupted create cannot have begun: it was under way when the engine wrote the state, and takes no longer than its
 * time limit. However long ago that is, what was created since may be its result. Where the time is not known, anything may.
 */
function earliestStart({ stateTime = 0 }: Search, definition: ResourceDefinition, managed: ManagedResource): number {
  const { create: seconds = 0 } = managed.resource.customTimeouts ?? {};
  return Math.max(0, stateTime - Math.max(timeLimit(definition, "create", managed.inputs), seconds * 1000));
}

/**
 * The create as the provider itself would leave it if its reply were lost. That it was sent to this account is known by now (see
 * `refuseOtherAccount`).
 */
function unresolvedIn(context: OperationContext<LifecycleInputs>, since: number): Unresolved {
  return {
    fingerprint: nameCreate(context),
    isProof: hasOwnMark(context),
    idsBefore: undefined,
    asked: { ...context.inputs },
    since,
  };
}

/** Where the program leaves the choice of the machine to the provider, the engine's record does not say which it was. */
function nameCreate(context: OperationContext<LifecycleInputs>): string {
  const asked: Values = { ...context.inputs };
  const isChoiceOpen = asked["select"] !== undefined && asked["nodeName"] === undefined;
  return isChoiceOpen ? `any-machine/${asked["gpuCount"]}` : fingerprintOf(context);
}

function whyNotCreated({ noun, inputs }: ResourceDefinition, create: Unresolved): string {
  if (create.isProof) return `no live ${noun} "${create.fingerprint}" is listed`;
  const what = "label" in inputs.shape ? `${noun} "${create.fingerprint}"` : noun;
  return `no live ${what} is listed that may be it and is missing from the states`;
}

/** How a person settles a create whose result nobody can list. */
export function settledByHand(urn: string): string {
  return `Look for it in the service's console. If it is there, end it there; then, or if it is not: \`${nothingMade(urn)}\`.`;
}

/** How a person says that a create has made nothing. */
export function nothingMade(urn: string): string {
  return commandLine(`gpufleet recover --nothing-made --urn ${inQuotes(urn)}`);
}

/** Throws where nothing can be said at all, because the service does not reply. */
async function whyUnresolved(
  context: OperationContext<LifecycleInputs>,
  create: Unresolved,
  error: unknown,
): Promise<Pick<UnresolvedCreate, "reason" | "isListed">> {
  const { definition, urn } = context;
  const { plural } = definition.kind;
  const unlisted = (why: string) => ({ reason: `${why}. ${settledByHand(urn)}`, isListed: false });
  if (error instanceof OperationUnavailableError) return unlisted(`The service does not list ${plural}`);
  if (!(error instanceof RefusedError)) throw stillUnknown(create, error);
  const list = listOf(context);
  if (error.cause instanceof WaitTimeoutError) {
    // There may never have been a list at all.
    const last = await list.latest().catch(() => undefined);
    const unreadable = last?.unreadable[0];
    if (unreadable) return unlisted(`The list of ${plural} cannot be read in full (${unreadable.reason})`);
    throw stillUnknown(create, error.cause);
  }
  const isHeld = await heldAnywhere(context);
  const found = lookalikesIn(context, await list.latest(), create, isHeld);
  return { reason: await mayBeIt(context, found, create.asked), isListed: true };
}

function stillUnknown({ fingerprint }: Unresolved, error: unknown): Error {
  const reason = messageOf(error).replace(/\.$/, "");
  return new Error(`whether "${fingerprint}" was created is unknown: ${reason}. Nothing was changed; run this again.`, {
    cause: error,
  });
}

/** Attachments and fleets' readiness do not bill, and can be created again without harm. */
async function findAttachment({ runtime }: Search, { handler, inputs }: ManagedResource): Promise<Outcome> {
  const { storageVolumeId, rentalIds } = inputs;
  if (handler.type !== volumeAttachmentType || !Array.isArray(rentalIds)) {
    return { kind: "notCreated", reason: "it does not bill, and can be created again" };
  }
  const id = attachmentId(Number(storageVolumeId), rentalIds.map(Number));
  const found = await handler.read(runtime, id, inputs);
  const attached: unknown = found?.outputs["rentalIds"];
  if (!found || (Array.isArray(attached) && attached.length === 0)) {
    return { kind: "notCreated", reason: `volume ${storageVolumeId} is attached to none of its rentals` };
  }
  const outputs = { ...inputs, ...found.outputs };
  return { kind: "created", id, outputs, description: `the attachment of volume ${storageVolumeId}`, isPending: false };
}
