import { setTimeout as sleep } from "node:timers/promises";
import { createEmulatedWorkspace } from "./emulatedWorkspace";

const program = (args: object) => `
  const { GpuFleet } = require("pulumi-gpufleet");
  const fleet = new GpuFleet("train", ${JSON.stringify(args)});
  exports.members = fleet.members;
  exports.costPerHour = fleet.costPerHour;
  exports.sshConfig = fleet.sshConfig;
  exports.inventory = fleet.inventory;
`;
const bareMetal = { kind: "bare-metal", count: 3, gpuCount: 8, networkType: "infiniband", regions: ["us-central-1"], sharedVolume: {sizeInGb: 256} };

test("try", async () => {
  const { workspace, emulator, dispose } = await createEmulatedWorkspace({ program: program(bareMetal), refresh: "always", emulator: { provisionSeconds: 1 } });
  const run = await workspace.pulumi("up", "--yes");
  console.log(run.output, JSON.stringify(await workspace.outputs(), null, 1), emulator.requests());
  const again = await workspace.up();
  console.log(again.output);
  workspace.writeProgram(program({...bareMetal, count: 4}));
  const pre = await workspace.preview("--diff");
  console.log(pre.output);
  const more = await workspace.up();
  console.log(more.output);
  const end = await workspace.destroy();
  console.log(end.output);
  await dispose();
});
