import { z } from "zod";
import { collections } from "./operations";
import { vmRental } from "./rental";

/** Last part of a path that ends something. "stop" is not among them: what is stopped may go on costing. */
const endings = ["terminate", "end", "cancel", "delete", "destroy", "remove", "release"] as const;
const rentalVariants = {
  verbs: endings,
  idFields: ["rentalId", "rental_id", "id"],
  idLists: ["rentalIds", "rental_ids", "ids"],
  byDelete: true,
} as const;
const volumeVariants = {
  idFields: ["storageVolumeId", "storage_volume_id", "volumeId", "volume_id", "id"],
  idLists: ["storageVolumeIds", "storage_volume_ids", "volumeIds", "volume_ids", "ids"],
} as const;

/**
 * What the service must be able to do although the interface does not show it: end a rental, list VM rentals, delete and
 * detach a volume. Each has the form that is tried when neither the configuration nor `/v2/openapi.json` tells another, and
 * the variants that are looked for in the latter. Everything that is done for each of them is derived from this table.
 */
export const undocumentedOperations = {
  terminateBareMetalRental: {
    summary: "Terminates a bare-metal rental.",
    collection: collections.bareMetal,
    method: "POST",
    path: `${collections.bareMetal}/terminate`,
    idField: "rentalId",
    variants: rentalVariants,
  },
  terminateVmRental: {
    summary: "Terminates a virtual-machine rental.",
    collection: collections.virtualMachine,
    method: "POST",
    path: `${collections.virtualMachine}/terminate`,
    idField: "rentalId",
    variants: rentalVariants,
  },
  listVmRentals: {
    summary: "Lists virtual-machine rentals.",
    collection: collections.virtualMachine,
    method: "GET",
    path: collections.virtualMachine,
    idField: undefined,
    variants: { verbs: [], idFields: [], idLists: [], byDelete: false },
  },
  deleteStorageVolume: {
    summary: "Deletes a storage volume.",
    collection: collections.storageVolume,
    method: "POST",
    path: `${collections.storageVolume}/delete`,
    idField: "storageVolumeId",
    variants: { verbs: ["delete", ...endings], ...volumeVariants, byDelete: true },
  },
  detachStorageVolume: {
    summary: "Detaches a storage volume from bare-metal rentals.",
    collection: collections.storageVolume,
    method: "POST",
    path: `${collections.storageVolume}/detach`,
    idField: "storageVolumeId",
    // A DELETE below a volume ends the volume; it cannot stand for a detach.
    variants: { verbs: ["detach"], ...volumeVariants, byDelete: false },
  },
} as const satisfies Record<string, UndocumentedOperation>;

export interface UndocumentedOperation {
  summary: string;
  collection: string;
  method: "GET" | "POST" | "DELETE";
  /** With `{id}` in it where the id goes into the path. */
  path: string;
  /** The field of the body that carries the id; undefined where none does. */
  idField: string | undefined;
  variants: OperationVariants;
}

/** Other forms of the same operation that services have, the usual one first. */
export interface OperationVariants {
  /** Last part of the path. */
  verbs: readonly string[];
  /** Fields that carry one id. */
  idFields: readonly string[];
  /** Fields that carry a list of ids. */
  idLists: readonly string[];
  /** Whether DELETE on `<collection>/{id}` does the same. */
  byDelete: boolean;
}

export type UndocumentedName = keyof typeof undocumentedOperations;

export const undocumentedNames = namesOf(undocumentedOperations);

function namesOf<Name extends string>(table: Record<Name, unknown>): Name[];
function namesOf(table: object): string[] {
  return Object.keys(table);
}

export const vmRentalList = z.array(vmRental);
