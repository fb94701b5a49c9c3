import { StorageVolume } from "pulumi-gpufleet";

const dataset = new StorageVolume("dataset", { region: "us-central-1", sizeInGb: 2048 });

export const mount = dataset.vip;
export const costPerHour = dataset.costPerHour;
