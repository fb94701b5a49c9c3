import * as pulumi from "@pulumi/pulumi";
import { connectionTo, type SshMachine, sshConfigFor } from "../provider/shared/sshHosts";
import { resourceTypeOf } from "../provider/shared/typeToken";
import { readUrn } from "../provider/shared/urn";
import { isMocked } from "./mocks";

type Output<T> = pulumi.Output<T>;

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
  /** For `~/.ssh/config`: one host per node, the first with the name of the resource. */
  readonly sshConfig: Output<string>;
  /** The first node as `connection` of `@pulumi/command` takes it, without a key. A machine without an ssh address is an error. */
  readonly connection: Output<SshEndpoint>;
}

export const machineOutputs = ["status", "costPerHour", "createdAt", "expiresAtTime", "ssh", "sshCommand"] as const;

interface Reachable extends pulumi.CustomResource {
  readonly ssh: Output<SshEndpoint[] | undefined>;
}

/** Derived where they are asked for: the state need not hold them, and a machine without an address is nobody's error till then. */
export function sshConfigOf(machine: Reachable): Output<string> {
  return asSshMachine(machine).apply(sshConfigFor);
}

export function connectionOf(machine: Reachable): Output<SshEndpoint> {
  return asSshMachine(machine).apply((found) => {
    const connection = connectionTo(found);
    if (connection) return connection;
    if (isMocked()) return { host: `${found.name}.invalid`, port: 22, user: "ubuntu" };
    throw new pulumi.RunError(
      `${found.type} "${found.name}" has no ssh address yet, so it has no connection. Leave waitForReady on, and set waitForSsh: true.`,
    );
  });
}

function asSshMachine({ urn, id, ssh }: Reachable): Output<SshMachine> {
  return pulumi.all([urn, id, ssh]).apply(([foundUrn, foundId, endpoints]) => {
    const { type, name } = readUrn(foundUrn);
    return { type: resourceTypeOf(type) ?? type, name, id: foundId, ssh: endpoints };
  });
}
