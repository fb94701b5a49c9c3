import { z } from "zod";
import { gpusPerNode, gpuTypes } from "../shared/offer";
import { defaultRegion, regions } from "../shared/region";
import { amount, answer, documented, ifReadable, name, numericId, time } from "./answer";
import { documentedPrice, hourlyPrice, price } from "./price";
import { customPorts, gpuFormFactors, networkTypes, providerData } from "./providerData";
import { inlineStorageVolume } from "./volume";

export const termTypes = ["on-demand", "reserved"] as const;
export const rentalTypes = ["virtual-machine", "bare-metal"] as const;
export const rentalStatuses = ["Failed", "Pending", "Running", "Terminating", "Terminated", "Unknown"] as const;

/** What both kinds of rental may be asked for. */
const rentalRequest = {
  gpuType: z.enum(gpuTypes).default("h100").describe("GPU model."),
  label: z.string().optional().describe("Name of the rental. Chosen automatically if omitted."),
  termType: z.enum(termTypes).default("on-demand").describe("Billed by the hour, or reserved for a term."),
  termPeriodDays: z.number().optional().describe("Length of a reserved term, in days."),
  discountPercentage: z.number().default(0).describe("Agreed discount on a reserved term, in percent."),
  monitoringEnabled: z.boolean().optional().describe("Let the service monitor the machine."),
  convertToOnDemandOnExpiry: z
    .boolean()
    .default(true)
    .describe("Continue by the hour when a reserved term ends. If false, the rental ends with its term."),
};

export const createBareMetalRentalRequest = z.strictObject({
  networkType: z.enum(networkTypes).describe("Network between the nodes."),
  gpuCount: z.number().min(1).multipleOf(gpusPerNode).describe("Number of GPUs, in whole nodes of eight."),
  region: z.enum(regions.bareMetal).default(defaultRegion).describe("Region of the rental."),
  ...rentalRequest,
  storageVolume: inlineStorageVolume.optional().describe("Volume to attach: an existing one or a new one."),
  cudaVersion: z.enum(["cuda12.8", "cuda12.9"]).optional().describe("CUDA version installed on the nodes."),
});

export const createVmRentalRequest = z.strictObject({
  gpuCount: z.number().describe("Number of GPUs."),
  networkType: z.enum(networkTypes).default("ethernet").describe("Network of the machine."),
  region: z.enum(regions.virtualMachine).default(defaultRegion).describe("Region of the machine."),
  ...rentalRequest,
  customPorts: customPorts.optional().describe("Additional ports to open, at most 20."),
});

export const requestReservationRequest = z.strictObject({
  gpuCount: z.number().min(1).describe("Number of GPUs to reserve."),
});
export const requestReservationResponse = answer({ message: z.string() });

const rentalFields = {
  id: z.int32(),
  createdAt: z.string(),
  updatedAt: z.string().nullable(),
  deletedAt: z.string().nullable(),
  userId: z.string().max(50),
  orgId: z.unknown(),
  startedAt: z.string().nullable(),
  terminatedAt: z.string().nullable(),
  externalId: z.string(),
  rentalId: z.unknown(),
  providerData,
  rentalType: documented(rentalTypes),
  name: z.string().nullable(),
  label: z.string().nullable(),
  region: documented(regions.all).nullable(),
  convertToOnDemandOnExpiry: z.boolean().nullable(),
  managedK8sClusterId: z.int32().nullable(),
  gpuType: documented(gpuTypes),
  gpuCount: z.int32(),
};

export const bareMetalRental = answer({ ...rentalFields, meta: z.unknown().optional() });

export const attachedStorage = answer({
  id: z.int().positive(),
  cost_per_hour: z.number().positive(),
  size_in_gb: z.int().positive(),
  label: z.string(),
  vip: z.string(),
  attached_instance_ids: z.array(z.number()),
});

const term = {
  effectiveAt: z.string(),
  costPerHour: documentedPrice,
};
const openTerm = {
  ...term,
  reservedUntil: z.null(),
  reservationEndsAt: z.null(),
  termPeriodDays: z.null(),
  discountPercentage: z.null(),
  originalCostPerHour: z.null(),
};

/** What the rental costs and for how long, in three shapes by `termType`. */
export const rentalTerm = z.discriminatedUnion("termType", [
  answer({ termType: z.literal("on-demand"), ...openTerm }),
  answer({
    termType: z.literal("reserved"),
    ...term,
    reservedUntil: z.string().nullable(),
    reservationEndsAt: z.string().nullable(),
    termPeriodDays: z.number(),
    discountPercentage: z.number(),
    originalCostPerHour: z.number(),
  }),
  answer({ termType: z.literal("private-cloud"), ...openTerm }),
]);

export const activeBareMetalRental = answer({
  ...rentalFields,
  rentalType: documented(["bare-metal"]),
  region: documented(regions.all),
  meta: answer({
    monitoring_enabled: z.boolean().optional(),
    termination_reason: z.string().optional(),
    attached_storage: z.array(attachedStorage).optional(),
    rental_type: z.string().optional(),
    sales_contract_external_id: z.string().optional(),
  })
    .nullable()
    .optional(),
  currentTerm: rentalTerm,
  attachedStorage: z.array(attachedStorage).optional(),
  gpuFormFactor: documented(gpuFormFactors),
  nodes: z.array(
    answer({
      cpuModel: z.string(),
      gpuCount: z.number(),
      ramGb: z.number(),
      storageGb: z.number(),
      cpuCount: z.number(),
    }),
  ),
  connectionType: documented(networkTypes),
  ethernetVariant: documented(["normal", "rocev2"]).optional(),
  createdBy: answer({
    id: z.string().max(50),
    name: z.string().max(255).nullable(),
    email: z.string().max(255),
    picture: z.string().nullable(),
  }),
  supportsFeature: answer({ attachedStorage: z.boolean() }),
  status: documented(rentalStatuses).default("Unknown"),
});

/** A volume that a rental has, as the client reads it. */
export const listedStorage = answer({
  id: numericId,
  cost_per_hour: ifReadable(price),
  size_in_gb: ifReadable(amount),
  label: ifReadable(z.string()),
  vip: ifReadable(z.string()),
});

const listedTerm = answer({
  termType: ifReadable(z.string()),
  effectiveAt: ifReadable(time),
  ...hourlyPrice,
  reservedUntil: ifReadable(time.nullable()),
  reservationEndsAt: ifReadable(time.nullable()),
  termPeriodDays: ifReadable(amount.nullable()),
  discountPercentage: ifReadable(amount.nullable()),
  originalCostPerHour: ifReadable(price.nullable()),
});

const listedNode = answer({
  cpuModel: z.string(),
  gpuCount: amount,
  ramGb: amount,
  storageGb: amount,
  cpuCount: amount,
});

/**
 * A rental as the client reads it: what it cannot do without is the id, and a label and a status that can be read where they
 * are there, because they tell whose a machine is and whether it runs.
 */
const readableRental = {
  id: numericId,
  label: z.string().nullish(),
  createdAt: ifReadable(time),
  updatedAt: ifReadable(time.nullable()),
  startedAt: ifReadable(time.nullable()),
  deletedAt: ifReadable(time.nullable()),
  terminatedAt: ifReadable(time.nullable()),
  userId: ifReadable(z.string()),
  orgId: z.unknown().optional(),
  externalId: ifReadable(name),
  providerData: ifReadable(
    answer({
      sshNetworking: ifReadable(z.array(answer({ host: z.string(), port: amount, user: z.string() }))),
    }).nullable(),
  ),
  region: ifReadable(z.string().nullable()),
  convertToOnDemandOnExpiry: ifReadable(z.boolean().nullable()),
  gpuType: ifReadable(z.string()),
  gpuCount: ifReadable(amount),
};

/** The answer to the create of a bare-metal rental, as the client reads it. */
export const readableBareMetalRental = answer({ ...readableRental, meta: z.unknown().optional() });

/** An item of the list of bare-metal rentals, as the client reads it. */
export const listedBareMetalRental = answer({
  ...readableRental,
  status: z
    .string()
    .nullish()
    .transform((status) => status ?? "Unknown"),
  meta: ifReadable(answer({ attached_storage: ifReadable(z.array(listedStorage)) }).nullable()),
  currentTerm: ifReadable(listedTerm),
  ...hourlyPrice,
  attachedStorage: ifReadable(z.array(listedStorage)),
  gpuFormFactor: ifReadable(z.string()),
  nodes: ifReadable(z.array(listedNode)),
  connectionType: ifReadable(z.string()),
});

/** A virtual-machine rental, created or listed, as the client reads it. */
export const readableVmRental = answer({
  ...readableRental,
  status: z.string().nullish(),
  networkType: ifReadable(z.string().nullable()),
  currentTerm: ifReadable(listedTerm.nullable()),
  ...hourlyPrice,
});

/**
 * A virtual-machine rental, as created and as listed. The interface breaks off after the provider data and shows no list,
 * so only the id is demanded; services of this kind add a status, a term or a price (dialects of the field).
 */
export const vmRental = answer({
  ...z.looseObject(rentalFields).partial().shape,
  id: z.int32(),
  rentalId: z.unknown().optional(),
  orgId: z.unknown().optional(),
  providerData: answer({
    sshNetworking: z.array(answer({ host: z.string(), port: z.number(), user: z.string() })).optional(),
  }).nullish(),
  updatedAt: z.string().nullish(),
  deletedAt: z.string().nullish(),
  startedAt: z.string().nullish(),
  terminatedAt: z.string().nullish(),
  label: z.string().nullish(),
  region: z.string().nullish(),
  networkType: z.string().nullish(),
  status: z.string().nullish(),
  currentTerm: answer({ termType: z.string().optional(), costPerHour: documentedPrice.optional() }).nullish(),
  costPerHour: documentedPrice.nullish(),
  costPerHourCents: documentedPrice.nullish(),
});

export type BareMetalRental = z.output<typeof readableBareMetalRental>;
export type ActiveBareMetalRental = z.output<typeof listedBareMetalRental>;
export type VmRental = z.output<typeof readableVmRental>;
