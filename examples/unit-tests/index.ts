/**
 * Unit tests
 *
 * Tests a program with Pulumi's mocks, without an engine, an account or a network.
 *
 * ```sh
 * npm test
 * ```
 *
 * The tests are in [index.test.ts](index.test.ts). The mocks decide on ids and outputs; resources have the types
 * `pulumi-nodejs:dynamic/gpufleet:BareMetalRental` and so on, and functions the tokens `gpufleet:index:getBalance` and so on. A numeric id
 * gives that number as `rentalId`, and any other word a number that is always the same for it. To run the program for real, use `pulumi up` as in the
 * other examples.
 */

import * as pulumi from "@pulumi/pulumi";
import { GpuFleet, getBalance, StorageVolume, VolumeAttachment } from "pulumi-gpufleet";

const count = new pulumi.Config().getNumber("count") ?? 2;

const fleet = new GpuFleet("train", {
  kind: "bare-metal",
  count,
  gpuCount: 8,
  networkType: "infiniband",
  regions: ["us-central-1"],
  expiresAt: "8h",
});

const data = new StorageVolume("data", { region: "us-central-1", sizeInGb: 1024 });
const attachment = new VolumeAttachment("data-on-all", {
  storageVolumeId: data.storageVolumeId,
  rentalIds: fleet.rentals.map(({ rentalId }) => rentalId),
});

export const members = fleet.members;
export const attachedTo = attachment.rentalIds;
export const isFunded = getBalance().then(({ usd }) => usd > 100);
