/** The programs that are measured: `count` rentals by each of the contestants. */
const path = require("node:path");

const rental = '{ networkType: "infiniband", gpuCount: 8 }';
const peer = (name) => JSON.stringify(path.join(__dirname, "peers", `${name}.js`));

const programs = {
  ours: (count) =>
    `const { BareMetalRental } = require("pulumi-gpufleet");
for (let i = 0; i < ${count}; i++) new BareMetalRental("rental-" + i, ${rental});`,
  fleet: (count) =>
    `const { GpuFleet } = require("pulumi-gpufleet");
new GpuFleet("fleet", { kind: "bare-metal", count: ${count}, gpuCount: 8, networkType: "infiniband", regions: ["us-central-1"] });`,
  floor: (count) =>
    `const { FloorRental } = require(${peer("floor")});
for (let i = 0; i < ${count}; i++) new FloorRental("rental-" + i, ${rental});`,
  naive: (count) =>
    `const { NaiveRental } = require(${peer("naive")});
for (let i = 0; i < ${count}; i++) new NaiveRental("rental-" + i, ${rental});`,
};

module.exports = { programs };
