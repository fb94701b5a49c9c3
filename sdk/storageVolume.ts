import type * as pulumi from "@pulumi/pulumi";
import type { StorageVolumeArgs } from "./args";
import { numericId, ServiceResource } from "./serviceResource";

export type { StorageVolumeArgs };

/**
 * A storage volume that outlives the machines it is attached to. A delete waits until nothing is attached to it. With the
 * option `{ protect: true }`, Pulumi refuses to delete it. A create waits until the service calls it `active`; where that means
 * "in use by a rental", set `waitForReady: false`.
 */
export class StorageVolume extends ServiceResource {
  /** Status, as the service reports it. */
  declare readonly status: pulumi.Output<string>;
  /** USD per hour. */
  declare readonly costPerHour: pulumi.Output<number | undefined>;
  /** Time of creation. */
  declare readonly createdAt: pulumi.Output<string | undefined>;
  /** Label in use: the given one, or the automatic one. */
  declare readonly label: pulumi.Output<string>;
  /** Region of the volume. */
  declare readonly region: pulumi.Output<string>;
  /** Size in GB. */
  declare readonly sizeInGb: pulumi.Output<number>;
  /** Address for mounting the volume. */
  declare readonly vip: pulumi.Output<string | undefined>;
  /** Ids of the rentals it is attached to. */
  declare readonly attachedRentals: pulumi.Output<number[] | undefined>;
  /** Id as a number, for `VolumeAttachment` and `BareMetalRental`. */
  readonly storageVolumeId: pulumi.Output<number>;

  constructor(name: string, args: StorageVolumeArgs, options?: pulumi.CustomResourceOptions) {
    super(
      "StorageVolume",
      name,
      args,
      ["status", "costPerHour", "createdAt", "label", "region", "sizeInGb", "vip", "attachedRentals"],
      options,
    );
    this.storageVolumeId = numericId(this.id);
  }
}
