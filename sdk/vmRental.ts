import type * as pulumi from "@pulumi/pulumi";
import type { VmRentalArgs } from "./args";
import { DynamicResource, numericId } from "./dynamicResource";
import { type MachineOutputs, machineOutputs, type SshEndpoint, type Term } from "./machine";

export type { VmRentalArgs };

/** A virtual machine with GPUs, rented by the hour or reserved for a term. */
export class VmRental extends DynamicResource implements MachineOutputs {
  declare readonly status: pulumi.Output<string>;
  /** USD per hour, where the service shows a price for VMs. */
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
  /** How many GPUs. */
  declare readonly gpuCount: pulumi.Output<number>;
  /** The network of the machine. */
  declare readonly networkType: pulumi.Output<string>;
  /** What it costs and until when it is reserved, where the service shows that for VMs. */
  declare readonly term: pulumi.Output<Term | undefined>;
  /** The id as a number. */
  readonly rentalId: pulumi.Output<number>;

  constructor(name: string, args: VmRentalArgs, options?: pulumi.CustomResourceOptions) {
    super("VmRental", name, args, [...machineOutputs, "label", "region", "gpuType", "networkType", "term"], options);
    this.rentalId = numericId(this.id);
  }
}
