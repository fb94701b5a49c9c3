import {
  type Mention,
  type OperationContext,
  partsKey,
  type SharedList,
  type Snapshot,
  shownAsMentioned,
  type Values,
  type View,
  whyMentionIsAnothers,
} from "../../lifecycle";
import { bareMetalRentals, mentionOfRental } from "../bareMetalRecord";
import { mentionOfVolume, notExpired, numbers, stillDoubtful, storageVolumes } from "../storageVolume";
import { type Identity, identityOf, readIdentity, whyAnother } from "./identity";

/** The volume and the rentals of an attachment, as they were when they were attached or last seen. */
interface Parts {
  volume: Identity;
  /** By id. */
  rentals: ReadonlyMap<number, Identity>;
  /** Whether a list has shown what the volume is attached to. */
  isTold: boolean;
}

/** Whether a list has shown before what the volume of a state is attached to. */
export function wasTold(state: Values): boolean {
  return keptParts(state)?.isTold ?? false;
}

/** What a state has of them; nothing where an older version wrote it. */
function keptParts(state: Values): Parts | undefined {
  const value = state[partsKey];
  if (typeof value !== "object" || value === null) return undefined;
  const rentals: unknown = Reflect.get(value, "rentals");
  const known = typeof rentals === "object" && rentals !== null ? Object.entries(rentals) : [];
  return {
    volume: readIdentity(Reflect.get(value, "volume")),
    isTold: Reflect.get(value, "isTold") === true,
    rentals: new Map(known.map(([id, identity]) => [Number(id), readIdentity(identity)])),
  };
}

/** A state of these rentals alone: what has become of the others is known. */
export function withOnly(rentalIds: readonly number[], state: Values): Values {
  const parts = keptParts(state);
  const rentals = [...(parts?.rentals ?? [])].filter(([id]) => rentalIds.includes(id));
  return {
    ...state,
    rentalIds,
    ...(parts && { [partsKey]: { ...parts, rentals: Object.fromEntries(rentals) } }),
  };
}

/** The same, from what lists show now. What they do not tell stays as it was. */
export async function rememberParts(context: OperationContext, _id: string, state: Values): Promise<Values> {
  const { runtime } = context;
  const known = keptParts(state);
  const volumeId = String(state["storageVolumeId"]);
  const rentalIds = notExpired(runtime, numbers(state["rentalIds"]));
  try {
    const volumes = await listWith(runtime.lists.of(storageVolumes), [volumeId]);
    const rentals = await listWith(runtime.lists.of(bareMetalRentals), rentalIds.map(String));
    const volume = recordIn(volumes, volumeId);
    const isTold = known?.isTold === true || volume?.outputs?.["attachedRentals"] !== undefined;
    const parts = {
      volume: newer(known?.volume, volume),
      ...(isTold && { isTold }),
      rentals: Object.fromEntries(
        [...rentalIds, ...stillDoubtful(context, Number(volumeId), state)].map((id) => [
          id,
          newer(known?.rentals.get(id), recordIn(rentals, String(id))),
        ]),
      ),
    };
    return { [partsKey]: parts };
  } catch {
    return {};
  }
}

/** Any list that has them all; one that is taken now, where the last one does not. */
async function listWith(list: SharedList<unknown>, ids: readonly string[]): Promise<Snapshot<unknown>> {
  const latest = await list.latest();
  return ids.every((id) => latest.has(id)) ? latest : list.fresh();
}

function recordIn(snapshot: Snapshot<unknown>, id: string, label?: unknown): View | undefined {
  return snapshot.isUnreadable(id) ? undefined : snapshot.find(id, label);
}

function newer(known: Identity | undefined, shown: View | undefined): Identity {
  return { ...known, ...(shown && identityOf(shown)) };
}

/** A volume or a rental that is not the one which an attachment was made for. */
export interface Other {
  /** "storage volume 5 is another one by now" */
  what: string;
  /** Why it is not touched, as a sentence without its full stop. */
  why: string;
}

/** What of an attachment is another one by now: the service has given its id away. */
export interface Others {
  volume: Other | undefined;
  rentals: ReadonlyMap<number, Other>;
}

/** The ids that an attachment has, or is to have. */
export interface Ids {
  storageVolumeId: number;
  rentalIds: readonly number[];
}

interface Part extends Mention {
  known: Identity | undefined;
}

/** Holds what the service has under these ids against what the state has of it. */
export async function findOthers(context: OperationContext, state: Values, ids: Ids): Promise<Others> {
  const parts = keptParts(state);
  const { storageVolumeId, rentalIds } = ids;
  const volume = await findOther(context, { ...mentionOfVolume(storageVolumeId), known: parts?.volume });
  const rentals = new Map<number, Other>();
  for (const id of rentalIds) {
    const other = await findOther(context, { ...mentionOfRental(id), known: parts?.rentals.get(id) });
    if (other) rentals.set(id, other);
  }
  return { volume, rentals };
}

/** Where nothing is known of it, the state's own entry of it tells whether it is still that. */
async function findOther(context: OperationContext, part: Part): Promise<Other | undefined> {
  const { noun, id, known } = part;
  const what = `${noun} ${id} is another one by now`;
  if (known && Object.keys(known).length > 0) {
    const record = await shownAsMentioned(context, part, known.label);
    const how = record && whyAnother(known, record);
    return how === undefined ? undefined : { what: `${what} (${how})`, why: `${what} (${how})` };
  }
  const why = await whyMentionIsAnothers(context, part);
  return why === undefined ? undefined : { what, why };
}
