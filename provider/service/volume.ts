import { z } from "zod";
import { volumeSizes } from "../shared/offer";
import { regions } from "../shared/region";
import { amount, answer, documented, ifReadable, numericId, time } from "./answer";
import { documentedPrice, hourlyPrice } from "./price";

export const volumeStatuses = ["active", "inactive", "unknown"] as const;

const label = z
  .string()
  .min(4)
  .max(255)
  .regex(/^[A-Za-z0-9_-]+$/, "must have only letters, digits, underscores and hyphens")
  .describe("Name of the volume (4 to 255 letters, digits, underscores and hyphens).");

const size = z.int().min(volumeSizes.least).max(volumeSizes.most);

/** The volume of a bare-metal create: one that exists, or one to be made along with the rental. */
export const inlineStorageVolume = z.discriminatedUnion("isNew", [
  z.strictObject({
    isNew: z.literal(false),
    id: z.int().positive().describe("Id of an existing volume."),
  }),
  z.strictObject({
    isNew: z.literal(true),
    label,
    sizeInGb: size.describe("Size in GB, from 256 to 64000."),
  }),
]);

export const createStorageVolumeRequest = z.strictObject({
  region: z.enum(regions.storageVolume).describe("Region of the volume. Only rentals in the same region can use it."),
  label,
  sizeInGb: size.multipleOf(volumeSizes.step).describe("Size in GB: a multiple of 256, from 256 to 64000."),
  rentalIds: z.array(z.int().positive()).optional().describe("Ids of the bare-metal rentals to attach the volume to."),
});

export const createStorageVolumeResponse = answer({
  storageVolumeId: z.int().positive(),
  region: documented(regions.storageVolumeRecord),
  status: documented(volumeStatuses).default("unknown"),
  label: z.string(),
  sizeInGb: z.number(),
  attachedRentals: z.array(z.int().positive()),
  message: z.string(),
});

export const storageVolume = answer({
  id: z.int32(),
  createdAt: z.string(),
  updatedAt: z.string().nullable(),
  deletedAt: z.string().nullable(),
  userId: z.string().max(50),
  orgId: z.unknown(),
  startedAt: z.string().nullable(),
  terminatedAt: z.string().nullable(),
  externalId: z.string(),
  sizeGb: z.int32(),
  label: z.string(),
  costPerHour: documentedPrice,
  region: documented(regions.storageVolumeRecord),
  storageVolumeId: z.unknown(),
  meta: answer({ termination_reason: z.string().optional() }),
  status: documented(volumeStatuses).default("unknown"),
  attachedRentals: z.array(z.int().positive()),
  sizeInGb: z.int().positive(),
  vip: z.string(),
});

/** The answer to the create of a volume, as the client reads it. */
export const readableCreatedVolume = answer({
  storageVolumeId: numericId,
  region: ifReadable(z.string()),
  status: ifReadable(z.string()),
  label: ifReadable(z.string()),
});

const rentalIds = z.array(numericId);

/** An item of the list of volumes, as the client reads it. */
export const listedStorageVolume = answer({
  id: numericId,
  storageVolumeId: z.unknown().optional(),
  label: z.string().nullish(),
  status: z
    .string()
    .nullish()
    .transform((status) => status ?? "unknown"),
  // Not left out where it cannot be read: a volume that seems to be free is deleted, and an attachment that seems to be gone is made anew.
  attachedRentals: rentalIds.nullish(),
  createdAt: ifReadable(time),
  updatedAt: ifReadable(time.nullable()),
  deletedAt: ifReadable(time.nullable()),
  terminatedAt: ifReadable(time.nullable()),
  userId: ifReadable(z.string()),
  orgId: z.unknown().optional(),
  externalId: ifReadable(z.string()),
  ...hourlyPrice,
  region: ifReadable(z.string()),
  sizeGb: ifReadable(amount),
  sizeInGb: ifReadable(amount),
  vip: ifReadable(z.string()),
}).transform(({ attachedRentals, ...volume }) => ({
  ...volume,
  attachedRentals: attachedRentals ?? [],
  /** Whether the service does not say what it is attached to: then that there is nothing says nothing. */
  ...(attachedRentals ? {} : { hidesRentals: true }),
}));

/**
 * The id of a volume as create, attach and delete take it: `storageVolumeId`, or `id` where the record has nothing of use there,
 * since the interface leaves that field open.
 */
export function storageVolumeIdOf(volume: { id: number; storageVolumeId?: unknown }): number {
  return ownVolumeId(volume) ?? volume.id;
}

/** What the record has in the field of that name. */
export function ownVolumeId({ storageVolumeId }: { storageVolumeId?: unknown }): number | undefined {
  return numericId.safeParse(storageVolumeId).data;
}

export const attachStorageVolumeRequest = z.strictObject({
  storageVolumeId: z.int().positive().describe("Id of the volume."),
  rentalIds: z.array(z.int()).min(1).describe("Ids of the bare-metal rentals to attach it to."),
});

export const attachStorageVolumeResponse = answer({
  storageVolumeId: z.int().positive(),
  attachedRentalIds: z.array(z.int().positive()),
  message: z.string(),
});

/** The answer to an attach, as the client reads it: whether it had its effect is seen in the list. */
export const readableAttachment = answer({
  storageVolumeId: ifReadable(numericId),
  attachedRentalIds: ifReadable(rentalIds),
  message: ifReadable(z.string()),
});

export type StorageVolume = z.output<typeof listedStorageVolume>;
