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
