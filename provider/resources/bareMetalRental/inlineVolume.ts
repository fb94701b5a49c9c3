import { readPrice, type Values, type View, volumeKey } from "../../lifecycle";
import { inlineStorageVolume } from "../../service";

/** What the state keeps of a volume that was made inside the create of a rental. */
export interface InlineVolume {
  /** Every volume that was there before the create: none of them can be the one that it made. */
  before: readonly string[];
  /** From the first proof on, and never another one. */
  id?: string | undefined;
  /** As the service showed it then: services may round what was asked for. */
  sizeInGb?: number | undefined;
  /** When it was created, by its record. */
  created?: string | undefined;
  /** What it costs, as the service has shown it. */
  costPerHour?: number | undefined;
}

/** The volume that a rental was asked for with, and what is known of both. */
export interface Sought {
  rentalId: string;
  label: string;
  sizeInGb: number;
  known: InlineVolume;
  /** What the state has of the rental. */
  state: Values;
}

/** The new volume that the inputs ask for. */
export function newVolumeIn(inputs: Values): { label: string; sizeInGb: number } | undefined {
  const asked = inlineStorageVolume.safeParse(inputs["storageVolume"]).data;
  return asked?.isNew ? asked : undefined;
}

/** The volume that a rental with this state was asked for with; undefined where there is none. */
export function soughtBy(rentalId: string, state: Values): Sought | undefined {
  const asked = newVolumeIn(state);
  return asked && { ...asked, rentalId, known: keptVolume(state) ?? { before: [] }, state };
}

export function keptVolume(state: Values): InlineVolume | undefined {
  const value = state[volumeKey];
  if (typeof value !== "object" || value === null) return undefined;
  const before: unknown = Reflect.get(value, "before");
  const id: unknown = Reflect.get(value, "id");
  const sizeInGb: unknown = Reflect.get(value, "sizeInGb");
  const created: unknown = Reflect.get(value, "created");
  const costPerHour = readPrice(Reflect.get(value, "costPerHour"));
  return {
    before: Array.isArray(before) ? before.map(String) : [],
    id: typeof id === "string" ? id : undefined,
    sizeInGb: typeof sizeInGb === "number" ? sizeInGb : undefined,
    created: typeof created === "string" ? created : undefined,
    costPerHour,
  };
}

/** The same as it is kept. */
export function keeping({ before, id, sizeInGb, created, costPerHour }: InlineVolume): Values {
  const more = { ...(id && { id }), ...(sizeInGb !== undefined && { sizeInGb }), ...(created && { created }) };
  return { [volumeKey]: { before, ...more, ...(costPerHour && { costPerHour }) } };
}

/** What is kept of it once it is proven which one it is. */
export function keepingProven({ known }: Sought, volume: View): Values {
  return keeping({ before: known.before, id: volume.id, sizeInGb: sizeShownBy(volume), ...shownOf(volume) });
}

/** What only lists tell. */
export function shownOf({ costPerHour, createdAtListed: created, isEstimate }: View): Partial<InlineVolume> {
  return { created, costPerHour: isEstimate ? undefined : costPerHour };
}

export function sizeShownBy({ observedInputs }: View): number | undefined {
  const size = observedInputs["sizeInGb"];
  return typeof size === "number" ? size : undefined;
}
