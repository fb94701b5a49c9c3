import { z } from "zod";
import { answer } from "./answer";
import { collections } from "./operations";
import { vmRental } from "./rental";

/**
 * What the service must be able to do although the interface does not show it: end a rental, list VM rentals, delete and
 * detach a volume. Each has the form that is tried when neither the configuration nor `/v2/openapi.json` tells another.
 */
export const undocumentedOperations = {
  terminateBareMetalRental: {
    summary: "Terminates a bare-metal rental.",
    collection: collections.bareMetal,
    method: "POST",
    path: `${collections.bareMetal}/terminate`,
    idField: "rentalId",
  },
  terminateVmRental: {
    summary: "Terminates a virtual-machine rental.",
    collection: collections.virtualMachine,
    method: "POST",
    path: `${collections.virtualMachine}/terminate`,
    idField: "rentalId",
  },
  listVmRentals: {
    summary: "Lists virtual-machine rentals.",
    collection: collections.virtualMachine,
    method: "GET",
    path: collections.virtualMachine,
    idField: undefined,
  },
  deleteStorageVolume: {
    summary: "Deletes a storage volume.",
    collection: collections.storageVolume,
    method: "POST",
    path: `${collections.storageVolume}/delete`,
    idField: "storageVolumeId",
  },
  detachStorageVolume: {
    summary: "Detaches a storage volume from bare-metal rentals.",
    collection: collections.storageVolume,
    method: "POST",
    path: `${collections.storageVolume}/detach`,
    idField: "storageVolumeId",
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
}

export type UndocumentedName = keyof typeof undocumentedOperations;

export const vmRentalList = z.array(vmRental);

/** What ending, deleting and detaching answer is not shown: anything at all, or nothing. */
export const endResponse = answer({ message: z.string().optional() }).or(z.unknown());
