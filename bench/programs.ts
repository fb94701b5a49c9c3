/** The programs that are measured: `count` rentals by each of the contestants. */
import { join } from "node:path";

const rental = '{ networkType: "infiniband", gpuCount: 8 }';
const peer = (name: string) => JSON.stringify(join(__dirname, "peers", `${name}.js`));

export const programs = {
  ours: (count: number) =>
    `const { BareMetalRental } = require("pulumi-gpufleet");
for (let i = 0; i < ${count}; i++) new BareMetalRental("rental-" + i, ${rental});`,
  plugin: (count: number) =>
    `const { BareMetalRental } = require("pulumi-gpufleet/native");
for (let i = 0; i < ${count}; i++) new BareMetalRental("rental-" + i, ${rental});`,
  /** The same through a provider of its own, which is how two accounts are used in one program. */
  provided: (count: number) =>
    `const { BareMetalRental, Provider } = require("pulumi-gpufleet");
const { GPUFLEET_BASE_URL: baseUrl, GPUFLEET_API_KEY: apiKey } = process.env;
const provider = new Provider("account", { baseUrl, apiKey });
for (let i = 0; i < ${count}; i++) new BareMetalRental("rental-" + i, ${rental}, { provider });`,
  fleet: (count: number) =>
    `const { GpuFleet } = require("pulumi-gpufleet");
new GpuFleet("fleet", { kind: "bare-metal", count: ${count}, gpuCount: 8, networkType: "infiniband", regions: ["us-central-1"] });`,
  floor: (count: number) =>
    `const { FloorRental } = require(${peer("floor")});
for (let i = 0; i < ${count}; i++) new FloorRental("rental-" + i, ${rental});`,
  naive: (count: number) =>
    `const { NaiveRental } = require(${peer("naive")});
for (let i = 0; i < ${count}; i++) new NaiveRental("rental-" + i, ${rental});`,
};

export type Contestant = keyof typeof programs;
