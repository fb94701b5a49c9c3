import type * as pulumi from "@pulumi/pulumi";
import type { VolumeAttachmentArgs } from "./args";
import { ServiceResource } from "./serviceResource";

export type { VolumeAttachmentArgs };

/**
 * Attaches a storage volume to bare-metal rentals. Adding and removing rentals does not replace it. A pair that another resource holds,
 * too, stays attached when this one is deleted; also one that another stack of the backend holds, unless this stack has both the
 * volume and the rental.
 */
export class VolumeAttachment extends ServiceResource {
  /** `attached`, or `attached to 1 of 2`. */
  declare readonly status: pulumi.Output<string>;
  /** Id of the volume. */
  declare readonly storageVolumeId: pulumi.Output<number>;
  /** Ids of the rentals that this resource attaches it to. */
  declare readonly rentalIds: pulumi.Output<number[]>;
  /** Address for mounting the volume. */
  declare readonly vip: pulumi.Output<string | undefined>;

  constructor(name: string, args: VolumeAttachmentArgs, options?: pulumi.CustomResourceOptions) {
    super("VolumeAttachment", name, args, ["status", "storageVolumeId", "rentalIds", "vip"], options);
  }
}
