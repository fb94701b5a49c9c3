import * as pulumi from "@pulumi/pulumi";
import { MarketplaceInstance } from "pulumi-gpufleet";

const config = new pulumi.Config();
const maxPricePerHour = config.getNumber("maxPricePerHour") ?? 2;

const bargain = new MarketplaceInstance("bargain", {
  gpuCount: 1,
  select: { minGpuRamGb: 48, maxPricePerHour },
  image: { name: "ubuntu", tag: "24.04", port: 22 },
});

export const machine = bargain.machine;
export const costPerHour = bargain.costPerHour;
export const ssh = bargain.sshCommand;
