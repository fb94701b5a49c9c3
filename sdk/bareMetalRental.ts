import type * as pulumi from "@pulumi/pulumi";
import type { BareMetalRentalArgs } from "./args";
import {
  type AttachedVolume,
  connectionOf,
  type MachineOutputs,
  machineOutputs,
  type Node,
  type SshEndpoint,
  sshConfigOf,
  type Term,
} from "./machine";
import { numericId, ServiceResource } from "./serviceResource";

export type { BareMetalRentalArgs };

/**
 * Whole bare-metal nodes of eight GPUs, rented by the hour or reserved for a term. A volume created with the rental is deleted
 * with it, unless `keepVolume` is set.
 */
export class BareMetalRental extends ServiceResource implements MachineOutputs {
  declare readonly status: pulumi.Output<string>;
  declare readonly costPerHour: pulumi.Output<number | undefined>;
  declare readonly createdAt: pulumi.Output<string | undefined>;
  declare readonly expiresAtTime: pulumi.Output<string | undefined>;
  declare readonly ssh: pulumi.Output<SshEndpoint[] | undefined>;
  declare readonly sshCommand: pulumi.Output<string | undefined>;
  /** Label in use: the given one, or the automatic one. */
  declare readonly label: pulumi.Output<string>;
  /** Region in use: the requested one, or the fallback that had capacity. */
  declare readonly region: pulumi.Output<string>;
  /** GPU model. */
  declare readonly gpuType: pulumi.Output<string>;
  /** Number of GPUs, over all nodes. */
  declare readonly gpuCount: pulumi.Output<number>;
  /** Network between the nodes. */
  declare readonly networkType: pulumi.Output<string>;
  /** Form factor of the GPUs, such as `sxm5`. */
  declare readonly gpuFormFactor: pulumi.Output<string | undefined>;
  /** Hardware of each node. */
  declare readonly nodes: pulumi.Output<Node[] | undefined>;
  /** Price, and the end of the reservation if there is one. */
  declare readonly term: pulumi.Output<Term | undefined>;
  /** Attached volumes, including the one created with the rental. */
  declare readonly attachedStorage: pulumi.Output<AttachedVolume[] | undefined>;
  /** Id as a number, for `StorageVolume` and `VolumeAttachment`. */
  readonly rentalId: pulumi.Output<number>;

  constructor(name: string, args: BareMetalRentalArgs, options?: pulumi.CustomResourceOptions) {
    super(
      "BareMetalRental",
      name,
      args,
      [
        ...machineOutputs,
        "label",
        "region",
        "gpuType",
        "gpuCount",
        "networkType",
        "gpuFormFactor",
        "nodes",
        "term",
        "attachedStorage",
      ],
      options,
    );
    this.rentalId = numericId(this.id);
  }

  get sshConfig(): pulumi.Output<string> {
    return sshConfigOf(this);
  }

  get connection(): pulumi.Output<SshEndpoint> {
    return connectionOf(this);
  }
}
