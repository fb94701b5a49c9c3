import { z } from "zod";
import { readTimestamp } from "../shared/timestamp";
import { answer } from "./answer";
import {
  listedMarketplaceMachine,
  marketplaceInstance,
  marketplaceMachine,
  pastMarketplaceInstance,
} from "./marketplace";
import { pricePerPeriod } from "./price";
import { activeBareMetalRental, listedBareMetalRental, readableVmRental, vmRental } from "./rental";
import { listedStorageVolume, storageVolume, storageVolumeIdOf } from "./volume";

/** How the client reads a list: as a whole where it is as documented, and else item by item. */
export interface List<Item = unknown> {
  /** The fastest way, and the usual one. */
  whole: z.ZodType<NoInfer<Item>[]>;
  /** One item, read generously: only what the provider cannot do without is demanded. */
  item: z.ZodType<Item>;
  /** The fields that may hold the items, the usual one first; none where the list is a plain array. */
  within: readonly string[];
  /** The id in an item that cannot be read, as the resource would write it. */
  idIn(item: unknown): string | undefined;
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
    isEnded: Boolean(deletedAt || terminatedAt) || /^(terminated|deleted|ended)$/i.test(status ?? ""),
    updatedAt: readTimestamp(updatedAt),
  };
}

const numbered = z.looseObject({ id: z.union([z.int(), z.string().regex(/^\d{1,15}$/)]) });
const named = z.looseObject({ id: z.union([z.string().min(1), z.number()]) });
const volume = z.looseObject({ id: z.int(), storageVolumeId: z.unknown() });
const idWith = (schema: typeof numbered | typeof named) => (item: unknown) => {
  const { data } = schema.safeParse(item);
  return data && String(data.id);
};

const wrappers = ["data", "items"];

/** Every list of the service, under the name of its client method. */
export const lists = {
  listBareMetalRentals: list({
    whole: z.array(activeBareMetalRental),
    item: listedBareMetalRental,
    within: [],
    idIn: idWith(numbered),
    identityOf,
  }),
  listVmRentals: list({
    whole: z.array(vmRental),
    item: readableVmRental,
    within: ["rentals", ...wrappers],
    idIn: idWith(numbered),
    identityOf,
  }),
  listStorageVolumes: list({
    whole: z.array(storageVolume),
    item: listedStorageVolume,
    within: [],
    idIn: (item) => {
      const { data } = volume.safeParse(item);
      return data ? String(storageVolumeIdOf(data)) : idWith(numbered)(item);
    },
    identityOf: (volume) => identityOf({ ...volume, id: storageVolumeIdOf(volume) }),
  }),
  listMarketplaceMachines: list({
    whole: z.array(marketplaceMachine.extend({ pricing: answer({ price: pricePerPeriod }) })),
    item: listedMarketplaceMachine,
    within: ["instances", "machines", ...wrappers],
    idIn: idWith(named),
    identityOf: ({ id, cluster_name }) => identityOf({ id: `${cluster_name}/${id}` }),
  }),
  listMarketplaceInstances: list({
    whole: z.array(marketplaceInstance),
    item: marketplaceInstance,
    within: ["instances", ...wrappers],
    idIn: idWith(named),
    identityOf: ({ id, createdAt, endedAt, status }) => identityOf({ id, createdAt, status, terminatedAt: endedAt }),
  }),
  getMarketplaceHistory: list({
    whole: z.array(pastMarketplaceInstance),
    item: pastMarketplaceInstance,
    within: ["instance_history", "history", "instances", ...wrappers],
    idIn: idWith(named),
    // One instance may have several entries.
    identityOf: (entry) => (entry.instance_name === undefined ? undefined : identityOf({ id: JSON.stringify(entry) })),
  }),
};

function list<Item>(fields: List<Item>): List<Item> {
  return fields;
}

export type ListName = keyof typeof lists;
export type ItemOf<Name extends ListName> = z.output<(typeof lists)[Name]["item"]>;
