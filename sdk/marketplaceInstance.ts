import type * as pulumi from "@pulumi/pulumi";
import type { MarketplaceInstanceArgs } from "./args";
import { DynamicResource } from "./dynamicResource";
import { type MachineOutputs, machineOutputs, type SshEndpoint } from "./machine";

export type { MarketplaceInstanceArgs };

/** What was known of the machine when it was rented. */
export interface RentedMachine {
  gpuModel: string;
  region: string;
  gpuRamGb: number;
  persistentStorage: boolean;
  pricePerGpuHour: number;
}

/** A port of the instance that can be reached from outside. */
export interface PortMapping {
  domain?: string;
  protocol?: string;
  port?: number;
}

/**
 * GPUs of a machine on the marketplace: a machine that is named, or the cheapest that fits.
 *
 * Instances bear no label. One whose create got lost is therefore looked for by its machine and its number of GPUs, and taken
 * only if no other can be meant: a weaker proof than the label of a rental.
 */
export class MarketplaceInstance extends DynamicResource implements MachineOutputs {
  declare readonly status: pulumi.Output<string>;
  declare readonly costPerHour: pulumi.Output<number | undefined>;
  declare readonly createdAt: pulumi.Output<string | undefined>;
  declare readonly expiresAtTime: pulumi.Output<string | undefined>;
  declare readonly ssh: pulumi.Output<SshEndpoint[] | undefined>;
  declare readonly sshCommand: pulumi.Output<string | undefined>;
  /** Where the machine is. */
  declare readonly region: pulumi.Output<string | undefined>;
  /** The cluster of the machine in use, given or chosen. */
  declare readonly clusterName: pulumi.Output<string>;
  /** The machine in use, given or chosen. */
  declare readonly nodeName: pulumi.Output<string>;
  /** How many GPUs. */
  declare readonly gpuCount: pulumi.Output<number>;
  /** The machine as it was when it was rented; later changes of the market do not show here. */
  declare readonly machine: pulumi.Output<RentedMachine | undefined>;
  /** The ports that can be reached from outside. */
  declare readonly portMappings: pulumi.Output<PortMapping[] | undefined>;
  /** The service's name for the instance. */
  readonly instanceId: pulumi.Output<string>;

  constructor(name: string, args: MarketplaceInstanceArgs, options?: pulumi.CustomResourceOptions) {
    super(
      "MarketplaceInstance",
      name,
      args,
      [...machineOutputs, "region", "clusterName", "nodeName", "machine", "portMappings"],
      options,
    );
    this.instanceId = this.id;
  }
}
