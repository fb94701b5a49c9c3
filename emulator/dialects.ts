import { type UndocumentedName, type UndocumentedOperation, undocumentedOperations } from "../provider/service";
import type { DialectName } from "./options";
import type { TimestampForm } from "./timestamp";

/** One variant of what the interface marks "not shown", as data: which operations exist and what the answers look like. */
export interface Dialect {
  /** The undocumented operations that exist. */
  operations: Partial<Record<UndocumentedName, UndocumentedOperation>>;
  /** Whether a volume can be detached from a rental that runs. */
  detachesRunning: boolean;
  /** Whether an attach of what is attached already, and a detach of what is not, is accepted; else it is refused with all that it asks for. */
  attachesAgain: boolean;
  /** Whether `/v2/openapi.json` is served. */
  described: boolean;
  /** Fields of a VM record beyond the documented ones. */
  vmRecord: { status: boolean; price: "none" | "costPerHourCents" };
  timestamps: TimestampForm;
  /** What a rental without a reserved term shows as `convertToOnDemandOnExpiry`: what was asked for, or that it does not apply. */
  withoutTerm: "as asked" | "false";
  /** Whether lists include ended objects. */
  keepsEnded: boolean;
  balance: "balance" | "balanceCents" | "credits" | "text";
  /** What the operations that end something answer. */
  endAnswer: "message" | "nothing";
  errors: "nested" | "flat";
  marketplace: {
    /** The field of the answer to a create that carries the id. */
    createdAs: "instance_id" | "instance_name" | "instanceName" | "id" | "several";
    /** The methods of the instance list. */
    listMethods: readonly ("GET" | "POST")[];
    readyStatus: "running" | "node_ready" | "NODE_READY";
    startingStatus: string;
    /** Whether the list of instances is an array of its own, and the history is called `history`. */
    lists: "wrapped" | "plain";
  };
}

const conventional: Dialect = {
  operations: undocumentedOperations,
  detachesRunning: true,
  attachesAgain: true,
  described: true,
  vmRecord: { status: false, price: "none" },
  timestamps: "rfc3339",
  withoutTerm: "as asked",
  keepsEnded: false,
  balance: "balance",
  endAnswer: "message",
  errors: "nested",
  // The heading of the interface says POST, its sample GET: both work.
  marketplace: {
    createdAs: "instance_id",
    listMethods: ["GET", "POST"],
    readyStatus: "running",
    startingStatus: "starting",
    lists: "wrapped",
  },
};

const { terminateBareMetalRental, terminateVmRental, listVmRentals, deleteStorageVolume, detachStorageVolume } =
  undocumentedOperations;

/** The same operation as `DELETE <collection>/{id}`. */
function byPath(operation: UndocumentedOperation): UndocumentedOperation {
  return { ...operation, method: "DELETE", path: `${operation.collection}/{id}`, idField: undefined };
}

/** The field of every id is called `id`. */
const idBody: Dialect = {
  ...conventional,
  operations: {
    terminateBareMetalRental: { ...terminateBareMetalRental, idField: "id" },
    terminateVmRental: { ...terminateVmRental, idField: "id" },
    listVmRentals,
    deleteStorageVolume: { ...deleteStorageVolume, idField: "id" },
    detachStorageVolume: { ...detachStorageVolume, idField: "id" },
  },
};

export const dialects: Record<DialectName, Dialect> = {
  default: conventional,

  "id-body": idBody,

  /** The same without a description. */
  "id-undescribed": { ...idBody, described: false },

  /** Rentals and volumes end by DELETE. */
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

  /** Only the documented operations: rentals cannot be ended. */
  none: { ...conventional, operations: {} },

  /** More fields, other forms of times, errors and the balance, and nothing is attached or detached twice. */
  rich: {
    ...conventional,
    attachesAgain: false,
    vmRecord: { status: true, price: "costPerHourCents" },
    timestamps: "database",
    withoutTerm: "false",
    keepsEnded: true,
    balance: "credits",
    errors: "flat",
    marketplace: {
      ...conventional.marketplace,
      createdAs: "instanceName",
      listMethods: ["GET"],
      readyStatus: "node_ready",
    },
  },

  /** Has every operation but no description. */
  undescribed: { ...conventional, described: false },

  /** A volume stays attached to a rental until that ends. */
  tied: { ...conventional, detachesRunning: false },

  /** The instance list is a POST, as in the heading of the interface. */
  "post-list": { ...conventional, marketplace: { ...conventional.marketplace, listMethods: ["POST"] } },

  /** Answers with as little as it can: plain lists, ends without a body, a status of its own, and two names for an instance. */
  bare: {
    ...conventional,
    described: false,
    balance: "text",
    endAnswer: "nothing",
    marketplace: {
      createdAs: "several",
      listMethods: ["POST"],
      readyStatus: "NODE_READY",
      startingStatus: "allocating_node",
      lists: "plain",
    },
  },
};
