import type * as pulumi from "@pulumi/pulumi";
import type { BareMetalRentalArgs } from "./args";
import { DynamicResource, numericId } from "./dynamicResource";
import {
  type AttachedVolume,
  type MachineOutputs,
  machineOutputs,
  type Node,
  type SshEndpoint,
  type Term,
} from "./machine";

export type { BareMetalRentalArgs };

/**
 * Whole nodes of eight GPUs, rented by the hour or reserved for a term. A volume made along with it is deleted after it has
 * ended, unless `keepVolume` is set.
 */
export class BareMetalRental extends DynamicResource implements MachineOutputs {
  declare readonly status: pulumi.Output<string>;
  declare readonly costPerHour: pulumi.Output<number | undefined>;
  declare readonly createdAt: pulumi.Output<string | undefined>;
  declare readonly expiresAtTime: pulumi.Output<string | undefined>;
  declare readonly ssh: pulumi.Output<SshEndpoint[] | undefined>;
  declare readonly sshCommand: pulumi.Output<string | undefined>;
  /** The label in use: the one given, or the one that was chosen. */
  declare readonly label: pulumi.Output<string>;
  /** The region in use: the one asked for, or the fallback that had capacity. */
  declare readonly region: pulumi.Output<string>;
  /** The model of GPU. */
  declare readonly gpuType: pulumi.Output<string>;
  /** How many GPUs, over all nodes. */
  declare readonly gpuCount: pulumi.Output<number>;
  /** The network between the nodes. */
  declare readonly networkType: pulumi.Output<string>;
  /** Such as `sxm5`. */
  declare readonly gpuFormFactor: pulumi.Output<string | undefined>;
  /** What each node has. */
  declare readonly nodes: pulumi.Output<Node[] | undefined>;
  /** What it costs and until when it is reserved. */
  declare readonly term: pulumi.Output<Term | undefined>;
  /** The volumes attached to it, the one made along with it included. */
  declare readonly attachedStorage: pulumi.Output<AttachedVolume[] | undefined>;
  /** The id as a number, as volumes and attachments take it. */
  readonly rentalId: pulumi.Output<number>;

  constructor(name: string, args: BareMetalRentalArgs, options?: pulumi.CustomResourceOptions) {
    super(
      "BareMetalRental",
      name,
      args,
      [...machineOutputs, "label", "region", "gpuType", "gpuFormFactor", "nodes", "term", "attachedStorage"],
      options,
    );
    this.rentalId = numericId(this.id);
  }
}
