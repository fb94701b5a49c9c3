/**
 * A program with every resource of the package. What each version made of it is recorded beside it; so it may grow, but what
 * stands here must go on meaning the same.
 */
export const program = `
  const { BareMetalRental, GpuFleet, MarketplaceInstance, StorageVolume, VmRental, VolumeAttachment } = require("pulumi-gpufleet");
  const node = { networkType: "infiniband", gpuCount: 8 };

  const train = new BareMetalRental("train", { ...node, cudaVersion: "cuda12.8", expiresAt: "8h", fallbackRegions: ["eu-west-3"] });
  new BareMetalRental("scratch", { ...node, gpuType: "h200", storageVolume: { isNew: true, label: "scratch-disk", sizeInGb: 512 } });
  new BareMetalRental("labelled", { ...node, label: "chosen-by-hand", waitForReady: false, timeouts: { create: "30m" } });
  new VmRental("head", { gpuCount: 1, customPorts: [443, 80] });
  const data = new StorageVolume("data", { region: "us-central-1", sizeInGb: 512 });
  new VolumeAttachment("data-on-train", { storageVolumeId: data.storageVolumeId, rentalIds: [train.rentalId] });
  new MarketplaceInstance("bargain", { select: { maxPricePerHour: 100 }, gpuCount: 1 });
  new GpuFleet("fleet", { kind: "vm", count: 2, gpuCount: 1, regions: ["us-central-1"] });
`;

export const project = "states";
