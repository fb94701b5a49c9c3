import type { Output } from "@pulumi/pulumi";

/** An ssh address of a machine. */
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

/** Price and duration of a rental. */
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

/** A volume that is attached to a rental. */
export interface AttachedVolume {
  id: number;
  label?: string | undefined;
  sizeInGb?: number | undefined;
  costPerHour?: number | undefined;
  vip?: string | undefined;
}

/** Outputs of every rental and instance. */
export interface MachineOutputs {
  /** Status, as the service reports it. */
  readonly status: Output<string>;
  /** USD per hour; missing if the service shows no price. */
  readonly costPerHour: Output<number | undefined>;
  /** Time of creation. */
  readonly createdAt: Output<string | undefined>;
  /** The time that `expiresAt` stands for, in RFC 3339. */
  readonly expiresAtTime: Output<string | undefined>;
  /** ssh addresses, one per node. */
  readonly ssh: Output<SshEndpoint[] | undefined>;
  /** Command that opens an ssh session, on the first node. */
  readonly sshCommand: Output<string | undefined>;
}

export const machineOutputs = ["status", "costPerHour", "createdAt", "expiresAtTime", "ssh", "sshCommand"] as const;
