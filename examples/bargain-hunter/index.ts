import * as pulumi from "@pulumi/pulumi";
import { getMarketplaceMachinesOutput, MarketplaceInstance } from "pulumi-gpufleet";

const maxPricePerHour = new pulumi.Config().getNumber("maxPricePerHour") ?? 2;
const minGpuRamGb = 48;

// What is on offer right now, the cheapest first.
const { machines } = getMarketplaceMachinesOutput({ minGpuRamGb, limit: 3 });

// The machine is chosen when it is rented, and then stays. A name taken from the list would change with the market.
const bargain = new MarketplaceInstance("bargain", {
  gpuCount: 1,
  select: { minGpuRamGb, maxPricePerHour },
  image: { name: "ubuntu", tag: "24.04", port: 22 },
});

export const offers = machines.apply((offered) =>
  offered.map(({ gpuModel, region, pricePerGpuHour }) => `${gpuModel} in ${region}: $${pricePerGpuHour}/h`),
);
export const machine = bargain.machine;
export const ssh = bargain.sshCommand;
/** What renting anew would save; `pulumi up --replace` with the URN of the instance does that. */
export const savingPerHour = pulumi
  .all([machines, bargain.costPerHour])
  .apply(([[best], cost]) => Math.max(0, (cost ?? 0) - (best?.pricePerGpuHour ?? Number.POSITIVE_INFINITY)));
