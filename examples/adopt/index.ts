/**
 * Adopting an existing rental
 *
 * Manages a rental that already exists.
 *
 * ```sh
 * pulumi stack init dev
 * pulumi config set rentalId 1234
 * pulumi up
 * ```
 *
 * The rental is not changed, but from now on Pulumi manages it: `pulumi destroy` terminates it. Once it is in the state, you can
 * remove `adoptId` from the program.
 */

import * as pulumi from "@pulumi/pulumi";
import { BareMetalRental } from "pulumi-gpufleet";

// A rental that was created by hand or by another tool. Nothing is created or changed.
const adoptId = new pulumi.Config().requireNumber("rentalId");

// Every field that the service shows must match. If one does not, the error lists the differences.
const node = new BareMetalRental("legacy", {
  adoptId,
  networkType: "infiniband",
  gpuCount: 8,
  gpuType: "h100",
  region: "us-central-1",
});

export const ssh = node.sshCommand;
export const costPerHour = node.costPerHour;
