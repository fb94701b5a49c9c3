import type { ResourceStory } from "./story";

const base = { region: "us-central-1", sizeInGb: 256 };

export const story: ResourceStory = {
  resource: "StorageVolume",
  kind: "storage-volume",
  before: { same: base, region: base, sizeInGb: base, label: base, providerSide: base },
  after: {
    same: { ...base, waitForReady: true, rentalIds: [] },
    region: { ...base, region: "eu-west-3" },
    sizeInGb: { ...base, sizeInGb: 512 },
    label: { ...base, label: "mine" },
    providerSide: { ...base, waitForReady: false, timeouts: { delete: "1h" } },
  },
  replaced: ["region", "sizeInGb", "label"],
  updated: ["providerSide"],
  end: (client, id) => client.deleteStorageVolume({ storageVolumeId: Number(id) }),
};
