import * as pulumi from "@pulumi/pulumi";
import { GpuFleet } from "pulumi-gpufleet";

const config = new pulumi.Config();

const fleet = new GpuFleet("fleet", {
  kind: "vm",
  count: config.getNumber("count") ?? 2,
  regions: ["us-central-1", "us-east-1"],
  fallbackRegions: ["us-central-2"],
  gpuType: "h100",
  gpuCount: 1,
});

export const sshConfig = fleet.sshConfig;
export const inventory = fleet.inventory;
export const costPerHour = fleet.costPerHour.apply((cost) => cost ?? "unknown");
