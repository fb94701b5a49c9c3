/** The programs that are measured: `count` rentals by each of the contestants. */
import { join } from "node:path";

const rental = '{ networkType: "infiniband", gpuCount: 8 }';
const peer = (name: string) => JSON.stringify(join(__dirname, "peers", `${name}.js`));

export const programs = {
  ours: (count: number) =>
    `const { BareMetalRental } = require("pulumi-gpufleet");
for (let i = 0; i < ${count}; i++) new BareMetalRental("rental-" + i, ${rental});`,
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
