import { z } from "zod";
import { readMoment, readTimestamp } from "../shared/timestamp";
import { answer, ifReadable, name, numericId, type Unreadable } from "./answer";
import { isEndedStatus } from "./endedStatuses";
import {
  instanceIdIn,
  instanceNamesIn,
  listedMarketplaceMachine,
  marketplaceInstance,
  marketplaceMachine,
  pastMarketplaceInstance,
} from "./marketplace";
import { pricePerPeriod } from "./price";
import { activeBareMetalRental, listedBareMetalRental, readableVmRental, type rentalTypes, vmRental } from "./rental";
import { listedStorageVolume, storageVolume, storageVolumeIdOf } from "./volume";

/** How the client reads a list: as a whole where it is as documented, and else item by item. */
export interface List<Item = unknown> {
  /** The fastest way, and the usual one. */
  whole: z.ZodType<NoInfer<Item>[]>;
  /** One item, read generously: only what the provider cannot do without is demanded. */
  item: z.ZodType<Item>;
  /** The fields that may hold the items, the usual one first; none where the list is a plain array. */
  within: readonly string[];
  /**
   * What an item that cannot be read calls itself. Its id, as the resource would write it, only where the field that holds ids can be
   * read: by another name alone it may be any of them.
   */
  namesIn(item: unknown): Pick<Unreadable, "id" | "names">;
  /** What its items are called in an answer that there are none; undefined where no service answers so. */
  nouns?: string | undefined;
  /** Whether an item is of another list, which this one shows along. */
  isOther?(item: unknown): boolean;
  /** What tells an item from the others; undefined where nothing does. */
  identityOf(item: NoInfer<Item>): Identity | undefined;
}

/** Which of the service's things a record is of, and how new the record is. */
export interface Identity {
  /** Its id, and what tells it from another one to which the service has given that id. */
  key: string;
  isEnded: boolean;
  /** Milliseconds since 1970. */
  updatedAt: number | undefined;
}

interface Identifying {
  id: string | number;
  label?: string | null | undefined;
  createdAt?: string | null | undefined;
  updatedAt?: string | null | undefined;
  status?: string | null | undefined;
  deletedAt?: string | null | undefined;
  terminatedAt?: string | null | undefined;
}

function identityOf(record: Identifying): Identity {
  const { id, label, createdAt, updatedAt, status, deletedAt, terminatedAt } = record;
  return {
    key: JSON.stringify([id, label, createdAt]),
    isEnded: [deletedAt, terminatedAt].some(isTime) || isEndedStatus(status ?? ""),
    updatedAt: readTimestamp(updatedAt),
  };
}

function isTime(text: string | null | undefined): boolean {
  return typeof readMoment(text) === "number";
}

const numbered = z.looseObject({ id: numericId });
const named = z.looseObject({ id: name });
const volume = z.looseObject({
  id: ifReadable(numericId),
  storageVolumeId: ifReadable(z.union([numericId, z.string()])),
});
const idWith = (schema: typeof numbered | typeof named) => (item: unknown) => {
  const { data } = schema.safeParse(item);
  return { id: data && String(data.id) };
};

/** Some services have one list for both kinds of rental; each record says which it is. */
function isRentalOf(type: (typeof rentalTypes)[number]) {
  // A thousand items are asked: a schema that does not fit takes longer than all else that is done with them.
  return (item: unknown) => typeof item === "object" && item !== null && Reflect.get(item, "rentalType") === type;
}

const wrappers = ["data", "items"];

/** Every list of the service, under the name of its client method. */
export const lists = {
  listBareMetalRentals: list({
    whole: z.array(activeBareMetalRental),
    item: listedBareMetalRental,
    within: [],
    namesIn: idWith(numbered),
    isOther: isRentalOf("virtual-machine"),
    nouns: "rentals?|instances?|machines?|servers?",
    identityOf,
  }),
  listVmRentals: list({
    whole: z.array(vmRental),
    item: readableVmRental,
    within: ["rentals", ...wrappers],
    namesIn: idWith(numbered),
    isOther: isRentalOf("bare-metal"),
    nouns: "rentals?|instances?|vms?|virtual[- ]machines?|machines?",
    identityOf,
  }),
  listStorageVolumes: list({
    nouns: "volumes?|storages?",
    whole: z.array(storageVolume),
    item: listedStorageVolume,
    within: [],
    namesIn: (item) => {
      const { id, storageVolumeId } = volume.safeParse(item).data ?? {};
      // Where it is no number, volumes go by `id`. Where it is not there, nobody knows what it would be.
      const certain = typeof storageVolumeId === "string" ? id : storageVolumeId;
      if (certain !== undefined) return { id: String(certain) };
      return { id: undefined, ...(id !== undefined && { names: [String(id)] }) };
    },
    identityOf: (volume) => identityOf({ ...volume, id: storageVolumeIdOf(volume) }),
  }),
  listMarketplaceMachines: list({
    whole: z.array(marketplaceMachine.extend({ pricing: answer({ price: pricePerPeriod }) })),
    item: listedMarketplaceMachine,
    within: ["instances", "machines", ...wrappers],
    namesIn: idWith(named),
    identityOf: ({ id, cluster_name }) => identityOf({ id: `${cluster_name}/${id}` }),
  }),
  listMarketplaceInstances: list({
    nouns: "instances?|rentals?",
    whole: z.array(marketplaceInstance),
    item: marketplaceInstance,
    within: ["instances", ...wrappers],
    namesIn: (item) => {
      const names = instanceNamesIn(item);
      const id = instanceIdIn(item);
      return { id, names: names.filter((name) => name !== id) };
    },
    identityOf: ({ id, createdAt, endedAt, status }) => identityOf({ id, createdAt, status, terminatedAt: endedAt }),
  }),
  getMarketplaceHistory: list({
    whole: z.array(pastMarketplaceInstance),
    item: pastMarketplaceInstance,
    within: ["instance_history", "history", "instances", ...wrappers],
    namesIn: idWith(named),
    // One instance may have several entries.
    identityOf: (entry) => (entry.instance_name === undefined ? undefined : identityOf({ id: JSON.stringify(entry) })),
  }),
};

function list<Item>(fields: List<Item>): List<Item> {
  return fields;
}

export type ListName = keyof typeof lists;
export type ItemOf<Name extends ListName> = z.output<(typeof lists)[Name]["item"]>;
