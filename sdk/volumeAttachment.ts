import type * as pulumi from "@pulumi/pulumi";
import type { VolumeAttachmentArgs } from "./args";
import { DynamicResource } from "./dynamicResource";

export type { VolumeAttachmentArgs };

/** Attaches a storage volume to bare-metal rentals. Rentals are added and removed in place. */
export class VolumeAttachment extends DynamicResource {
  /** `attached`, or to how many of the rentals it is. */
  declare readonly status: pulumi.Output<string>;
  /** The volume. */
  declare readonly storageVolumeId: pulumi.Output<number>;
  /** The rentals that it is attached to by this resource. */
  declare readonly rentalIds: pulumi.Output<number[]>;
  /** The address under which the volume is mounted. */
  declare readonly vip: pulumi.Output<string | undefined>;

  constructor(name: string, args: VolumeAttachmentArgs, options?: pulumi.CustomResourceOptions) {
    super("VolumeAttachment", name, args, ["status", "vip"], options);
  }
}
