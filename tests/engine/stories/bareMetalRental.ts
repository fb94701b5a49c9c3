import type { ResourceStory } from "./story";

const base = { networkType: "infiniband", gpuCount: 8 };
const reserved = { ...base, termType: "reserved", termPeriodDays: 30, discountPercentage: 10 };

/** Each differs in the field that it is named after. */
const replaced = {
  networkType: [base, { ...base, networkType: "ethernet" }],
  gpuCount: [base, { ...base, gpuCount: 16 }],
  region: [base, { ...base, region: "eu-west-3" }],
  gpuType: [base, { ...base, gpuType: "b200" }],
  cudaVersion: [base, { ...base, cudaVersion: "cuda12.9" }],
  label: [base, { ...base, label: "mine" }],
  termType: [base, { ...base, termType: "reserved" }],
  termPeriodDays: [reserved, { ...reserved, termPeriodDays: 60 }],
  discountPercentage: [reserved, { ...reserved, discountPercentage: 20 }],
  monitoringEnabled: [base, { ...base, monitoringEnabled: true }],
  convertToOnDemandOnExpiry: [base, { ...base, convertToOnDemandOnExpiry: false }],
  storageVolume: [base, { ...base, storageVolume: { isNew: true, label: "scratch", sizeInGb: 300 } }],
} as const;

const providerSide = {
  waitForReady: false,
  timeouts: { create: "1h", delete: 600 },
  maxCostPerHour: 100,
  expiresAt: "8h",
  fallbackRegions: ["eu-west-4"],
  keepVolume: true,
};
const defaults = {
  region: "us-central-1",
  gpuType: "h100",
  termType: "on-demand",
  discountPercentage: 0,
  waitForSsh: false,
};

const changes = Object.entries(replaced);

export const story: ResourceStory = {
  resource: "BareMetalRental",
  kind: "bare-metal",
  before: { same: base, providerSide: base, ...Object.fromEntries(changes.map(([name, [before]]) => [name, before])) },
  after: {
    // Writing a default down is no change.
    same: { ...base, ...defaults },
    providerSide: { ...base, ...providerSide },
    ...Object.fromEntries(changes.map(([name, [, after]]) => [name, after])),
  },
  replaced: Object.keys(replaced),
  updated: ["providerSide"],
  end: (client, id) => client.terminateRental({ rentalType: "bare-metal", rentalId: Number(id) }),
};
