import type { ResourceStory } from "./story";

const base = { gpuCount: 1 };
const reserved = { ...base, termType: "reserved", termPeriodDays: 30, discountPercentage: 10 };
const ports = { ...base, customPorts: [80, 443] };

/** Each differs in the field that it is named after. */
const replaced = {
  gpuCount: [base, { gpuCount: 2 }],
  networkType: [base, { ...base, networkType: "infiniband" }],
  region: [base, { ...base, region: "eu-north-2" }],
  gpuType: [base, { ...base, gpuType: "h200" }],
  label: [base, { ...base, label: "mine" }],
  termType: [base, { ...base, termType: "reserved" }],
  termPeriodDays: [reserved, { ...reserved, termPeriodDays: 60 }],
  discountPercentage: [reserved, { ...reserved, discountPercentage: 20 }],
  monitoringEnabled: [base, { ...base, monitoringEnabled: true }],
  customPorts: [ports, { ...base, customPorts: [80, 8443] }],
  convertToOnDemandOnExpiry: [base, { ...base, convertToOnDemandOnExpiry: false }],
} as const;

const providerSide = {
  timeouts: { create: "1h" },
  maxCostPerHour: 100,
  expiresAt: "8h",
  fallbackRegions: ["us-east-1"],
};
const changes = Object.entries(replaced);

export const story: ResourceStory = {
  resource: "VmRental",
  kind: "virtual-machine",
  before: { same: ports, providerSide: base, ...Object.fromEntries(changes.map(([name, [before]]) => [name, before])) },
  after: {
    // Neither a default that is written down nor another order of a set is a change.
    same: { ...base, customPorts: [443, 80], region: "us-central-1", networkType: "ethernet" },
    providerSide: { ...base, ...providerSide },
    ...Object.fromEntries(changes.map(([name, [, after]]) => [name, after])),
  },
  replaced: Object.keys(replaced),
  updated: ["providerSide"],
  end: (client, id) => client.terminateRental({ rentalType: "virtual-machine", rentalId: Number(id) }),
};
