import { createRig, paths, refusal } from "../rig";
import { typed } from "../typed";

const hour = 3600;

test("the balance goes down by what everything costs, from the create to the end", async () => {
  const rig = createRig({ balance: 1000, provisionSeconds: 600, endSeconds: 1800 });
  const { createBareMetal, createVm, createVolume, endBareMetal, balance } = typed(rig);
  expect(await balance()).toBe(1000);
  const { id } = await createBareMetal();
  rig.emulator.clock.advance(hour);
  expect(await balance()).toBeCloseTo(1000 - 19.92, 5);
  await endBareMetal(id);
  rig.emulator.clock.advance(hour);
  // Half an hour of ending is paid for, the half after it is not.
  expect(await balance()).toBeCloseTo(1000 - 1.5 * 19.92, 5);
  await createVm({ gpuCount: 2, gpuType: "h200" });
  await createVolume({ sizeInGb: 1024 });
  rig.emulator.clock.advance(2 * hour);
  expect(await balance()).toBeCloseTo(1000 - 1.5 * 19.92 - 2 * (2 * 3.29 + 0.1024), 5);
});

test("a reserved term is paid at its discount and what comes after in full", async () => {
  const rig = createRig({ balance: 10_000 });
  const { createBareMetal, balance } = typed(rig);
  await createBareMetal({ termType: "reserved", termPeriodDays: 1, discountPercentage: 50 });
  rig.emulator.clock.advance(48 * hour);
  expect(await balance()).toBeCloseTo(10_000 - 24 * 9.96 - 24 * 19.92, 4);
});

test("a balance that was given and is used up refuses whatever costs", async () => {
  const rig = createRig({ balance: 10 });
  const { createBareMetal, listMachines } = typed(rig);
  await createBareMetal();
  rig.emulator.clock.advance(hour);
  const broke = refusal(400, "BAD_REQUEST", "insufficient balance");
  const [machine] = await listMachines();
  const requests: [string, object][] = [
    [paths.bareMetal, { networkType: "ethernet", gpuCount: 8 }],
    [paths.vm, { gpuCount: 1 }],
    [paths.volumes, { region: "us-central-1", label: "data", sizeInGb: 256 }],
    [`${paths.instances}/create`, { cluster_name: machine?.cluster_name, node_name: machine?.id, gpu_count: 1 }],
  ];
  for (const [path, body] of requests) expect(await rig.call("POST", path, body)).toMatchObject(broke);
});

test("the balance that is there by default never refuses anything", async () => {
  const rig = createRig();
  const { createBareMetal, balance } = typed(rig);
  await createBareMetal({ gpuCount: 1024, gpuType: "b200" });
  rig.emulator.clock.advance(24 * 365 * hour);
  expect(await balance()).toBeLessThan(0);
  await createBareMetal();
});
