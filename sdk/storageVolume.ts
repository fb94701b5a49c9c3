import type * as pulumi from "@pulumi/pulumi";
import type { StorageVolumeArgs } from "./args";
import { DynamicResource, numericId } from "./dynamicResource";

export type { StorageVolumeArgs };

/**
 * Storage that outlives the machines it is attached to. It is deleted only when nothing is attached to it any more; with
 * `{ protect: true }` among the options, Pulumi refuses to delete it at all.
 */
export class StorageVolume extends DynamicResource {
  /** As the service says it. */
  declare readonly status: pulumi.Output<string>;
  /** USD per hour. */
  declare readonly costPerHour: pulumi.Output<number | undefined>;
  /** When the service made it. */
  declare readonly createdAt: pulumi.Output<string | undefined>;
  /** The label in use: the one given, or the one that was chosen. */
  declare readonly label: pulumi.Output<string>;
  /** Where it is kept. */
  declare readonly region: pulumi.Output<string>;
  /** Its size in GB. */
  declare readonly sizeInGb: pulumi.Output<number>;
  /** The address under which the volume is mounted. */
  declare readonly vip: pulumi.Output<string | undefined>;
  /** The rentals that it is attached to. */
  declare readonly attachedRentals: pulumi.Output<number[] | undefined>;
  /** The id as a number, as attachments and rentals take it. */
  readonly storageVolumeId: pulumi.Output<number>;

  constructor(name: string, args: StorageVolumeArgs, options?: pulumi.CustomResourceOptions) {
    super(
      "StorageVolume",
      name,
      args,
      ["status", "costPerHour", "createdAt", "label", "vip", "attachedRentals"],
      options,
    );
    this.storageVolumeId = numericId(this.id);
  }
}
