import { z } from "zod";
import { gpuTypes, networkTypes, regions } from "../../provider/service";
import { firstAccount } from "../options";
import { life, type Phase } from "./transitions";

/**
 * What the emulator stores: plain records, written by requests only. They are schemas because the journal is read back. Below
 * them, what each kind calls its phases.
 */

/** Whose it is. Journals of early versions know of one account only. */
const account = z.string().default(firstAccount);

/** How a machine answers to ssh. */
const ssh = z.object({
  /** The loopback port it has, once the emulator listens. */
  port: z.number().nullable(),
  /** How long after it is ready it answers; null for never. */
  delayMs: z.number().nullable(),
  /** What `nvidia-smi` finds wrong with its GPUs. */
  gpuTrouble: z.object({ missing: z.number(), broken: z.number() }).optional(),
});

/** A price over time: discounted up to `until`, then in full. */
const price = z.object({
  perHour: z.number(),
  discounted: z.object({ perHour: z.number(), percentage: z.number(), days: z.number(), until: z.number() }).nullable(),
});

export const rentalFacts = z.object({
  id: z.number(),
  account,
  kind: z.enum(["bare-metal", "virtual-machine"]),
  label: z.string().nullable(),
  region: z.enum(regions.all),
  gpuType: z.enum(gpuTypes),
  gpuCount: z.number(),
  networkType: z.enum(networkTypes),
  monitoringEnabled: z.boolean(),
  convertToOnDemandOnExpiry: z.boolean(),
  customPorts: z.array(z.number()),
  price,
  ssh,
  life,
});

export const storageVolumeFacts = z.object({
  id: z.number(),
  account,
  label: z.string(),
  region: z.enum(regions.storageVolumeRecord),
  sizeInGb: z.number(),
  price,
  life,
});

/** From `from` until `until`, or until the rental has ended. */
export const attachmentFacts = z.object({
  id: z.number(),
  volumeId: z.number(),
  rentalId: z.number(),
  from: z.number(),
  until: z.number().nullable(),
});

export const marketplaceInstanceFacts = z.object({
  id: z.string(),
  account,
  nodeName: z.string(),
  clusterName: z.string(),
  gpuCount: z.number(),
  gpusTotal: z.number(),
  gpuModel: z.string(),
  image: z.object({ name: z.string(), tag: z.string().optional(), port: z.number().optional() }).nullable(),
  price,
  ssh,
  life,
});

export const inferenceFacts = z.object({ id: z.string(), account, at: z.number(), costNanoUsd: z.number() });

export type RentalFacts = z.infer<typeof rentalFacts>;
export type StorageVolumeFacts = z.infer<typeof storageVolumeFacts>;
export type AttachmentFacts = z.infer<typeof attachmentFacts>;
export type MarketplaceInstanceFacts = z.infer<typeof marketplaceInstanceFacts>;
export type InferenceFacts = z.infer<typeof inferenceFacts>;
export type PriceFacts = z.infer<typeof price>;

/** One record, written whole; the last one of an id counts. */
export const fact = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("rental"), record: rentalFacts }),
  z.object({ kind: z.literal("storageVolume"), record: storageVolumeFacts }),
  z.object({ kind: z.literal("attachment"), record: attachmentFacts }),
  z.object({ kind: z.literal("marketplaceInstance"), record: marketplaceInstanceFacts }),
  z.object({ kind: z.literal("inference"), record: inferenceFacts }),
  z.object({ kind: z.literal("clock"), record: z.object({ aheadMs: z.number() }) }),
]);
export type Fact = z.infer<typeof fact>;

type Statuses = Record<Exclude<Phase, "absent">, string>;

const rentalStatuses = {
  starting: "Pending",
  ready: "Running",
  failed: "Failed",
  ending: "Terminating",
  ended: "Terminated",
};

/** What each kind calls its phases. */
export const statuses = {
  "bare-metal": rentalStatuses,
  "virtual-machine": rentalStatuses,
  // The interface has no status for a volume that failed: it never becomes active.
  "storage-volume": {
    starting: "inactive",
    ready: "active",
    failed: "inactive",
    ending: "inactive",
    ended: "inactive",
  },
  "marketplace-instance": {
    starting: "starting",
    ready: "running",
    failed: "failed",
    ending: "stopping",
    ended: "terminated",
  },
} satisfies Record<string, Statuses>;

export type Kind = keyof typeof statuses;

/** Journals of early versions tag a fact `of`, hold it under `is`, and have shorter names for two kinds. */
const earlyFact = z.object({ of: z.string(), is: z.unknown() });
const earlyKinds = new Map([
  ["volume", "storageVolume"],
  ["instance", "marketplaceInstance"],
]);

function fromEarlyForm(value: unknown): unknown {
  const early = earlyFact.safeParse(value);
  if (!early.success) return value;
  const { of, is } = early.data;
  return { kind: earlyKinds.get(of) ?? of, record: is };
}

/** One line of the journal: what one request did, all of it or nothing. */
export const entry = z.array(z.preprocess(fromEarlyForm, fact));
