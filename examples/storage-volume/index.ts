/**
 * A storage volume
 *
 * A volume that outlives the machines it is attached to.
 *
 * With the option `{ protect: true }` (third argument), Pulumi refuses to delete the volume.
 */

import { StorageVolume } from "pulumi-gpufleet";

const dataset = new StorageVolume("dataset", { region: "us-central-1", sizeInGb: 2048 });

export const mount = dataset.vip;
export const costPerHour = dataset.costPerHour;
