import type * as pulumi from "@pulumi/pulumi";
import type { MarketplaceInstanceArgs } from "./args";
import { connectionOf, type MachineOutputs, machineOutputs, type SshEndpoint, sshConfigOf } from "./machine";
import { ServiceResource } from "./serviceResource";

export type { MarketplaceInstanceArgs };

/** The machine as it was when it was rented. */
export interface RentedMachine {
  gpuModel: string;
  region: string;
  gpuRamGb: number;
  persistentStorage: boolean;
  pricePerGpuHour: number;
}

/** A public port of the instance. */
export interface PortMapping {
  domain?: string;
  protocol?: string;
  port?: number;
}

/**
 * GPUs of a marketplace machine: of a given machine, or of the cheapest one that matches.
 *
 * Instances have no label, so nothing proves which instance a lost create has made. If the reply to a create is lost, the resource
 * stays unresolved, nothing is used or terminated, and the error names what may be it and the two commands that settle it.
 */
export class MarketplaceInstance extends ServiceResource implements MachineOutputs {
  declare readonly status: pulumi.Output<string>;
  declare readonly costPerHour: pulumi.Output<number | undefined>;
  declare readonly createdAt: pulumi.Output<string | undefined>;
  declare readonly expiresAtTime: pulumi.Output<string | undefined>;
  declare readonly ssh: pulumi.Output<SshEndpoint[] | undefined>;
  declare readonly sshCommand: pulumi.Output<string | undefined>;
  /** Region of the machine. */
  declare readonly region: pulumi.Output<string | undefined>;
  /** Cluster of the machine in use. */
  declare readonly clusterName: pulumi.Output<string>;
  /** Machine in use. */
  declare readonly nodeName: pulumi.Output<string>;
  /** Number of GPUs. */
  declare readonly gpuCount: pulumi.Output<number>;
  /** The machine as it was when it was rented. Later price changes are not shown here. */
  declare readonly machine: pulumi.Output<RentedMachine | undefined>;
  /** Public ports of the instance. */
  declare readonly portMappings: pulumi.Output<PortMapping[] | undefined>;
  /** Id of the instance. */
  readonly instanceId: pulumi.Output<string>;

  constructor(name: string, args: MarketplaceInstanceArgs, options?: pulumi.CustomResourceOptions) {
    super(
      "MarketplaceInstance",
      name,
      args,
      [...machineOutputs, "region", "clusterName", "nodeName", "gpuCount", "machine", "portMappings"],
      options,
    );
    this.instanceId = this.id;
  }

  get sshConfig(): pulumi.Output<string> {
    return sshConfigOf(this);
  }

  get connection(): pulumi.Output<SshEndpoint> {
    return connectionOf(this);
  }
}
