import { type UndocumentedName, type UndocumentedOperation, undocumentedOperations } from "../provider/service";
import type { DialectName } from "./options";
import type { TimestampForm } from "./timestamp";

/**
 * The interface leaves much "not shown"; services of this kind fill the gaps in different ways. A dialect is one such
 * way, as data: what exists, and what the answers look like.
 */
export interface Dialect {
  /** The undocumented operations that exist. */
  operations: Partial<Record<UndocumentedName, UndocumentedOperation>>;
  /** Whether `/v2/openapi.json` is there. */
  described: boolean;
  /** What a VM record tells beyond the documented fields. */
  vmRecord: { status: boolean; price: "none" | "costPerHourCents" };
  timestamps: TimestampForm;
  /** Whether lists go on showing what has ended. */
  keepsEnded: boolean;
  balance: "balance" | "balanceCents" | "credits";
  errors: "nested" | "flat";
  marketplace: {
    /** Under which name the answer to a create gives the id. */
    createdAs: "instance_id" | "instance_name" | "instanceName" | "id";
    /** The methods that the instance list answers to. */
    listMethods: readonly ("GET" | "POST")[];
    readyStatus: "running" | "node_ready";
  };
}

const conventional: Dialect = {
  operations: undocumentedOperations,
  described: true,
  vmRecord: { status: false, price: "none" },
  timestamps: "rfc3339",
  keepsEnded: false,
  balance: "balance",
  errors: "nested",
  // The heading of the interface says POST, its sample GET: both are right.
  marketplace: { createdAs: "instance_id", listMethods: ["GET", "POST"], readyStatus: "running" },
};

const { terminateBareMetalRental, terminateVmRental, listVmRentals, deleteStorageVolume, detachStorageVolume } =
  undocumentedOperations;

/** The same operation as `DELETE <collection>/{id}`. */
function byPath(operation: UndocumentedOperation): UndocumentedOperation {
  return { ...operation, method: "DELETE", path: `${operation.collection}/{id}`, idField: undefined };
}

export const dialects: Record<DialectName, Dialect> = {
  default: conventional,

  /** Ids go under the plain name `id`. */
  "id-body": {
    ...conventional,
    operations: {
      terminateBareMetalRental: { ...terminateBareMetalRental, idField: "id" },
      terminateVmRental: { ...terminateVmRental, idField: "id" },
      listVmRentals,
      deleteStorageVolume: { ...deleteStorageVolume, idField: "id" },
      detachStorageVolume: { ...detachStorageVolume, idField: "id" },
    },
  },

  /** What has an id ends by DELETE. */
  delete: {
    ...conventional,
    operations: {
      terminateBareMetalRental: byPath(terminateBareMetalRental),
      terminateVmRental: byPath(terminateVmRental),
      listVmRentals,
      deleteStorageVolume: byPath(deleteStorageVolume),
      detachStorageVolume,
    },
  },

  /** The documented operations and not one more: rentals cannot be ended. */
  none: { ...conventional, operations: {} },

  /** Tells more, and tells it differently. */
  rich: {
    ...conventional,
    vmRecord: { status: true, price: "costPerHourCents" },
    timestamps: "database",
    keepsEnded: true,
    balance: "credits",
    errors: "flat",
    marketplace: { createdAs: "instanceName", listMethods: ["GET"], readyStatus: "node_ready" },
  },

  /** Does everything, describes nothing. */
  undescribed: { ...conventional, described: false },

  /** The instance list answers as the heading of the interface has it. */
  "post-list": { ...conventional, marketplace: { ...conventional.marketplace, listMethods: ["POST"] } },
};
