/**
 * The plugin, in TypeScript
 *
 * All five resources as resources of the plugin, in TypeScript.
 *
 * The classes are those of `pulumi-gpufleet`, imported from `pulumi-gpufleet/native`. The plugin must be installed once; see
 * [languages](../../docs/languages.md).
 *
 * ```sh
 * npx gpufleet plugin install
 * pulumi stack init dev
 * pulumi up
 * pulumi destroy
 * ```
 */

import * as pulumi from "@pulumi/pulumi";
import {
  BareMetalRental,
  MarketplaceInstance,
  StorageVolume,
  VmRental,
  VolumeAttachment,
} from "pulumi-gpufleet/native";

const region = "us-central-1";
const gpuCount = new pulumi.Config().getNumber("gpuCount") ?? 8;

const dataset = new StorageVolume("dataset", { region, sizeInGb: 1024 });
const train = new BareMetalRental("train", { networkType: "infiniband", gpuCount, region });
new VolumeAttachment("dataset-on-train", {
  storageVolumeId: dataset.storageVolumeId,
  rentalIds: [train.rentalId],
});
const login = new VmRental("login", { gpuCount: 1, region });
const worker = new MarketplaceInstance("worker", {
  gpuCount: 1,
  select: { gpuModel: "A100", maxPricePerHour: 2 },
  image: { name: "ubuntu", tag: "24.04", port: 22 },
});

export const trainId = train.rentalId;
export const status = [dataset.status, train.status, login.status, worker.status];
