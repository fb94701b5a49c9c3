import type { Output } from "@pulumi/pulumi";

/** Where a machine answers to ssh. */
export interface SshEndpoint {
  host: string;
  port: number;
  user: string;
}

/** One node of a bare-metal rental. */
export interface Node {
  cpuModel: string;
  cpuCount: number;
  gpuCount: number;
  ramGb: number;
  storageGb: number;
}

/** What a rental costs and for how long. */
export interface Term {
  termType: string;
  costPerHour?: number;
  effectiveAt?: string;
  reservedUntil?: string | null;
  reservationEndsAt?: string | null;
  termPeriodDays?: number | null;
  discountPercentage?: number | null;
  originalCostPerHour?: number | null;
}

/** A volume as its rental shows it. */
export interface AttachedVolume {
  id: number;
  label: string;
  sizeInGb: number;
  costPerHour: number;
  vip: string;
}

/** The outputs that everything rented by the hour has. */
export interface MachineOutputs {
  /** As the service says it. */
  readonly status: Output<string>;
  /** USD per hour; missing where the service does not show a price. */
  readonly costPerHour: Output<number | undefined>;
  /** When the service made it. */
  readonly createdAt: Output<string | undefined>;
  /** When `expiresAt` is reached, as RFC 3339. */
  readonly expiresAtTime: Output<string | undefined>;
  /** Where it answers to ssh, one endpoint per node. */
  readonly ssh: Output<SshEndpoint[] | undefined>;
  /** Ready to paste. */
  readonly sshCommand: Output<string | undefined>;
}

export const machineOutputs = ["status", "costPerHour", "createdAt", "expiresAtTime", "ssh", "sshCommand"] as const;
