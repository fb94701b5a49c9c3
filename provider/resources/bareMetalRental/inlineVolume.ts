import type { CallOptions, Client } from "../../client";
import {
  endAndWait,
  type Operation,
  type OperationContext,
  type Values,
  type View,
  volumeKey,
  waitUntil,
} from "../../lifecycle";
import { inlineStorageVolume } from "../../service";
import { showPerHour } from "../../shared/money";
import { readTimestamp } from "../../shared/timestamp";
import { numbers, storageVolume, storageVolumes, waitUntilDetached } from "../storageVolume";

/**
 * A volume made inside the create of a rental belongs to that rental. Its label is the user's, so it is no proof: what is proof is
 * that it was not there before the create, and that the rental's own record shows it. Its id is kept in the state from the
 * first sighting on, and never changes after that.
 */
interface InlineVolume {
  /** Volumes with its label that were there before the create. */
  before: string[];
  id?: string | undefined;
}

/** The new volume that the inputs ask for. */
export function newVolumeIn(inputs: Values): { label: string; sizeInGb: number } | undefined {
  const asked = inlineStorageVolume.safeParse(inputs["storageVolume"]).data;
  return asked?.isNew ? asked : undefined;
}

/** Which volumes have the label before the create: none of them can be the one that it makes. */
export async function volumesBefore(client: Client, inputs: Values, call: CallOptions): Promise<string[]> {
  const asked = newVolumeIn(inputs);
  if (!asked) return [];
  const listed = await client.listStorageVolumes({ deadline: call.deadline });
  return listed.filter(({ label }) => label === asked.label).map(storageVolumes.idOf);
}

export function keptVolume(state: Values): InlineVolume | undefined {
  const value = state[volumeKey];
  if (typeof value !== "object" || value === null) return undefined;
  const before: unknown = Reflect.get(value, "before");
  const id: unknown = Reflect.get(value, "id");
  return { before: Array.isArray(before) ? before.map(String) : [], id: typeof id === "string" ? id : undefined };
}

/** What is kept of it once the rental's record shows which one it is. */
export function rememberVolume(record: View, kept: Values, inputs: Values): Values {
  const asked = newVolumeIn(inputs);
  if (!asked) return {};
  const known = keptVolume(kept) ?? { before: [] };
  const id = known.id ?? onlyOne(attachedIn(record, asked.sizeInGb).filter((one) => !known.before.includes(one)));
  return { [volumeKey]: { before: known.before, ...(id && { id }) } };
}

function onlyOne(ids: readonly string[]): string | undefined {
  return ids.length === 1 ? ids[0] : undefined;
}

function attachedIn(record: View, sizeInGb: number): string[] {
  const attached = record.outputs?.["attachedStorage"];
  if (!Array.isArray(attached)) return [];
  return attached.filter((volume) => volume?.sizeInGb === sizeInGb).map((volume) => String(volume.id));
}

/** For lists to show the rental with its volume, where the answer to the create did not. */
const sighting = 20_000;

/** Waits until it is known which volume was made, also where nothing else is waited for: nobody would find it afterwards. */
export async function sightVolume(context: OperationContext<object>, made: View): Promise<View> {
  const asked = newVolumeIn({ ...context.inputs });
  const known = keptVolume(made.kept ?? {});
  if (!asked || !known || known.id) return made;
  const { clock, lists } = context.runtime;
  const attached = await attachedVolume(context, made, asked.label, known.before);
  if (attached !== undefined) return withVolume(made, { before: known.before, id: attached });
  try {
    return await waitUntil<unknown, View>({
      operation: context,
      list: lists.of(context.definition.kind),
      prompt: true,
      deadline: Math.min(clock.now() + sighting, context.deadline),
      judge: (snapshot) => {
        const record = snapshot.find(made.id);
        const kept = record && rememberVolume(record, { ...made.kept }, { ...context.inputs });
        return kept && keptVolume(kept)?.id
          ? { kind: "done", result: { ...made, kept: { ...made.kept, ...kept } } }
          : { kind: "pending", status: "volume not listed" };
      },
    });
  } catch {
    // Whatever keeps it from being seen: the rental exists, and its id must not be lost for it.
    return made;
  }
}

/** The same as the list of volumes shows it: the records of rentals need not say what is attached to them. */
async function attachedVolume(
  { runtime }: Operation,
  { id }: View,
  label: string,
  before: readonly string[],
): Promise<string | undefined> {
  const snapshot = await runtime.lists
    .of(storageVolumes)
    .fresh()
    .catch(() => undefined);
  const volumes = snapshot?.withLabel(label).filter((volume) => !before.includes(volume.id)) ?? [];
  return onlyOne(volumes.filter((volume) => isAttachedTo(volume, id)).map((volume) => volume.id));
}

function isAttachedTo(volume: View, rentalId: string): boolean {
  return numbers(volume.outputs?.["attachedRentals"]).includes(Number(rentalId));
}

function isInUse(volume: View): boolean {
  return numbers(volume.outputs?.["attachedRentals"]).length > 0;
}

function withVolume(made: View, volume: InlineVolume): View {
  return { ...made, kept: { ...made.kept, [volumeKey]: volume } };
}

/** How far apart the service may date a rental and the volume that was made with it. */
const sameMoment = 60_000;
/** The same where several come into question: of one request they are dated together, and others by a distance. */
const sameInstant = 2000;
const distance = 10_000;

/** The volume that was made along with this rental and is still there. */
export async function findInlineVolume(
  operation: Operation,
  rentalId: string,
  state: Values,
): Promise<View | undefined> {
  const asked = newVolumeIn(state);
  if (!asked) return undefined;
  const known = keptVolume(state) ?? keptByOlderVersion(state, asked.sizeInGb);
  const snapshot = await operation.runtime.lists.of(storageVolumes).fresh();
  if (known?.id) {
    const volume = snapshot.find(known.id);
    return volume?.phase === "ended" ? undefined : volume;
  }
  const candidates = snapshot
    .withLabel(asked.label)
    .filter(({ id, phase }) => phase !== "ended" && !known?.before.includes(id));
  const attached = candidates.filter((view) => isAttachedTo(view, rentalId));
  if (attached.length === 1) return attached[0];
  // The rental has ended before anyone saw them together. Both are dated by the service's own clock.
  const apart = ({ createdAt }: View) =>
    Math.abs((readTimestamp(createdAt) ?? Number.NaN) - (readTimestamp(state["createdAt"]) ?? Number.NaN));
  const alike = candidates.filter(
    (view) => view.observedInputs["sizeInGb"] === asked.sizeInGb && !isInUse(view) && apart(view) <= sameMoment,
  );
  if (alike.length <= 1) return alike[0];
  const [nearest, ...others] = alike.sort((one, other) => apart(one) - apart(other));
  if (nearest && apart(nearest) <= sameInstant && others.every((view) => apart(view) >= distance)) return nearest;
  throw new Error(
    `which of the storage volumes ${alike.map(({ id }) => id).join(", ")} was created with rental ${rentalId} is not known, so none of them is deleted. Delete the right one by hand, then remove this resource with \`pulumi state delete\`.`,
  );
}

/** States of older versions show what is attached, and not which one was made along. */
function keptByOlderVersion(state: Values, sizeInGb: number): InlineVolume | undefined {
  const record: View = {
    id: "",
    status: "",
    phase: "pending",
    observedInputs: {},
    outputs: { attachedStorage: state["attachedStorage"] },
  };
  const id = onlyOne(attachedIn(record, sizeInGb));
  return id === undefined ? undefined : { before: [], id };
}

/**
 * The same for one that is about to be ended. A list may lag behind: what the state knows of is ended whether or not the
 * list shows it, because nobody would ever look for it again.
 */
export async function inlineVolumeToEnd(
  operation: Operation,
  rentalId: string,
  state: Values,
): Promise<View | undefined> {
  const found = await findInlineVolume(operation, rentalId, state);
  const asked = newVolumeIn(state);
  if (found || !asked) return found;
  const id = keptVolume(state)?.id;
  return id === undefined
    ? undefined
    : { id, label: asked.label, status: "unknown", phase: "pending", observedInputs: {} };
}

/** Ends the volume after its rental, or says what stays and what that costs. */
export async function deleteInlineVolume(operation: Operation, volume: View, keep: boolean): Promise<void> {
  if (keep) return sayKept(operation, volume);
  await waitUntilDetached(operation, volume.id);
  await endAndWait({ ...operation, noun: storageVolume.definition.noun }, storageVolume.definition, volume.id);
}

/** Nobody else would ever mention it. */
export function sayKept({ runtime, urn }: Operation, volume: View): void {
  const cost = volume.costPerHour === undefined ? "" : ` and costs ${showPerHour(volume.costPerHour)}`;
  runtime.engine.info(urn, `keepVolume: storage volume ${volume.id} "${volume.label}" is kept${cost}`);
}
