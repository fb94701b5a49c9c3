import { defaults } from "../../../emulator";
import { seededMachines } from "../../../emulator/nouns";
import type { ResourceStory } from "./story";

/** The first five machines of the emulator, one of each model, are empty. */
const [rtx, l40s, a100] = [...seededMachines(defaults.seed).values()];
if (!rtx || !l40s || !a100) throw new Error("the emulator has no machines");
const on = (machine: { clusterName: string; id: string }) => ({
  clusterName: machine.clusterName,
  nodeName: machine.id,
  gpuCount: 1,
});
const image = { name: "ubuntu", tag: "24.04", port: 22 };

export const story: ResourceStory = {
  resource: "MarketplaceInstance",
  kind: "marketplace-instance",
  before: {
    same: { ...on(rtx), image },
    machine: on(rtx),
    gpuCount: on(rtx),
    image: { ...on(rtx), image },
    select: { select: { gpuModel: "L40S" }, gpuCount: 1 },
    selectStillMet: { select: { gpuModel: "A100" }, gpuCount: 1 },
    providerSide: on(l40s),
  },
  after: {
    same: { ...on(rtx), image, waitForReady: true },
    machine: on(a100),
    gpuCount: { ...on(rtx), gpuCount: 2 },
    image: { ...on(rtx), image: { ...image, tag: "22.04" } },
    select: { select: { gpuModel: "H100" }, gpuCount: 1 },
    // The machine that was chosen has all of this.
    selectStillMet: { select: { minGpuRamGb: 80, maxPricePerHour: 2, needsPersistentStorage: true }, gpuCount: 1 },
    providerSide: { ...on(l40s), expiresAt: "2030-01-01T00:00:00Z", maxCostPerHour: 50 },
  },
  replaced: ["machine", "gpuCount", "image", "select"],
  updated: ["providerSide"],
  end: (client, id) => client.terminateMarketplaceInstance({ id }),
};
