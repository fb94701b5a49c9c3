import type * as pulumi from "@pulumi/pulumi";
import type { VmRentalArgs } from "./args";
import { connectionOf, type MachineOutputs, machineOutputs, type SshEndpoint, sshConfigOf, type Term } from "./machine";
import { numericId, ServiceResource } from "./serviceResource";

export type { VmRentalArgs };

/** A virtual machine with GPUs, rented by the hour or reserved for a term. */
export class VmRental extends ServiceResource implements MachineOutputs {
  declare readonly status: pulumi.Output<string>;
  /** USD per hour; missing if the service shows no price for VMs. */
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
  /** Number of GPUs. */
  declare readonly gpuCount: pulumi.Output<number>;
  /** Network of the machine. */
  declare readonly networkType: pulumi.Output<string>;
  /** Price, and the end of the reservation; missing if the service does not show them for VMs. */
  declare readonly term: pulumi.Output<Term | undefined>;
  /** Id as a number. */
  readonly rentalId: pulumi.Output<number>;

  constructor(name: string, args: VmRentalArgs, options?: pulumi.CustomResourceOptions) {
    super(
      "VmRental",
      name,
      args,
      [...machineOutputs, "label", "region", "gpuType", "gpuCount", "networkType", "term"],
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
