import * as pulumi from "@pulumi/pulumi";
import { BareMetalRental } from "pulumi-gpufleet";

// A rental that was made by hand or by another tool. Nothing is created, and nothing on it changes.
const adoptId = new pulumi.Config().requireNumber("rentalId");

// Every field that the service shows must be as written here. If not, it is refused and the differences are named.
const node = new BareMetalRental("legacy", {
  adoptId,
  networkType: "infiniband",
  gpuCount: 8,
  gpuType: "h100",
  region: "us-central-1",
});

export const ssh = node.sshCommand;
export const costPerHour = node.costPerHour;
