/**
 * Bargain hunter
 *
 * Compares marketplace prices, and rents only below a limit.
 *
 * It lists the cheapest machines of the marketplace, and rents the cheapest GPU with at least 48 GB if it costs at most
 * `maxPricePerHour`. The machine is kept even if prices change; `savingPerHour` shows what renting again would save.
 *
 * ```sh
 * pulumi stack init dev
 * pulumi config set maxPricePerHour 1.5
 * pulumi up
 * pulumi destroy
 * ```
 */

import * as pulumi from "@pulumi/pulumi";
import { getMarketplaceMachinesOutput, MarketplaceInstance } from "pulumi-gpufleet";

const maxPricePerHour = new pulumi.Config().getNumber("maxPricePerHour") ?? 2;
const minGpuRamGb = 48;

// The cheapest machines right now.
const { machines } = getMarketplaceMachinesOutput({ minGpuRamGb, limit: 3 });

// The machine is chosen once, when it is rented. A name taken from the list above would change with the prices.
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
/** What renting again would save. To do so: `pulumi up --refresh --replace <URN of the instance>`. */
export const savingPerHour = pulumi
  .all([machines, bargain.costPerHour])
  .apply(([[best], cost]) => (best && cost !== undefined ? Math.max(0, cost - best.pricePerGpuHour) : undefined));
