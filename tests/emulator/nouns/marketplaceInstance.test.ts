import fc from "fast-check";
import { availableGpus } from "../../../provider/service";
import { createRig, paths, refusal } from "../rig";
import { typed } from "../typed";

const create = `${paths.instances}/create`;
const terminate = `${paths.instances}/terminate`;

async function freeMachine(rig: ReturnType<typeof createRig>) {
  const machine = (await typed(rig).listMachines()).find((candidate) => availableGpus(candidate) === 8);
  if (!machine) throw new Error("no machine has eight free GPUs");
  return { machine, wanted: { cluster_name: machine.cluster_name, node_name: machine.id } };
}

describe("the machines", () => {
  test("are the same for the same seed and others for another", async () => {
    const [one, same, other] = [createRig({ seed: 5 }), createRig({ seed: 5 }), createRig({ seed: 6 })].map(typed);
    expect(await one?.listMachines()).toEqual(await same?.listMachines());
    expect(await one?.listMachines()).not.toEqual(await other?.listMachines());
  });

  test("are of several models and prices; some are taken in full, some free", async () => {
    const machines = await typed(createRig()).listMachines();
    expect(machines.length).toBeGreaterThan(12);
    expect(new Set(machines.map(({ hardware }) => hardware.gpus[0]?.model)).size).toBe(5);
    expect(machines.filter(({ reserved }) => reserved).length).toBeGreaterThan(0);
    expect(machines.filter((machine) => availableGpus(machine) === 8).length).toBeGreaterThan(4);
    for (const machine of machines) {
      const held = machine.instances.reduce((sum, { hardware }) => sum + hardware.length, 0);
      expect(machine).toMatchObject({ gpus_reserved: held, reserved: held === machine.gpus_total });
    }
  });
});

describe("an instance", () => {
  test("comes up, can be reached, ends, and goes into the history", async () => {
    const rig = createRig({ provisionSeconds: 60, endSeconds: 10 });
    const { createInstance, listInstances } = typed(rig);
    const { machine, wanted } = await freeMachine(rig);
    const { instanceId } = await createInstance({
      ...wanted,
      gpu_count: 2,
      image: { name: "nginx", tag: "1", port: 80 },
    });
    expect(await listInstances()).toMatchObject([
      { id: instanceId, status: "creating", sshCommand: undefined, gpuCount: 2, nodeName: machine.id },
    ]);
    rig.emulator.clock.advance(45);
    expect(await listInstances()).toMatchObject([{ status: "starting" }]);
    rig.emulator.clock.advance(15);
    const sshCommand = `ssh ubuntu@machine-${instanceId}.invalid -p 22`;
    expect(await listInstances()).toMatchObject([
      { status: "running", sshCommand, price: machine.pricing.price.amount },
    ]);
    await rig.ok("POST", terminate, { id: instanceId });
    expect(await listInstances()).toMatchObject([{ status: "stopping" }]);
    rig.emulator.clock.advance(10);
    expect(await listInstances()).toEqual([]);
    expect(await rig.ok("GET", `${paths.instances}/history`)).toMatchObject({
      instance_history: [{ instance_name: instanceId, gpu_count: 2, terminated_at: "2026-09-12T14:00:10.123Z" }],
    });
  });

  test("holds GPUs of its machine until it has ended", async () => {
    const rig = createRig({ endSeconds: 10 });
    const { createInstance, listMachines } = typed(rig);
    const { machine, wanted } = await freeMachine(rig);
    const { instanceId } = await createInstance({ ...wanted, gpu_count: 8 });
    const look = async () => (await listMachines()).find(({ id }) => id === machine.id);
    const tenants = [{ id: instanceId, hardware: Array(8).fill({ gpu: expect.anything() }) }];
    expect(await look()).toMatchObject({ gpus_reserved: 8, reserved: true, instances: tenants });
    await rig.ok("POST", terminate, { id: instanceId });
    expect(await look()).toMatchObject({ gpus_reserved: 8 });
    rig.emulator.clock.advance(10);
    expect(await look()).toMatchObject({ gpus_reserved: 0, reserved: false, instances: [] });
  });

  test("that fails says so and bills until it is ended", async () => {
    const rig = createRig();
    const { createInstance, listInstances, billing } = typed(rig);
    const { wanted } = await freeMachine(rig);
    rig.emulator.faults.add({ match: { method: "POST", path: create }, kind: "fail-provisioning" });
    await createInstance({ ...wanted, gpu_count: 1 });
    rig.emulator.clock.advance(60);
    expect(await listInstances()).toMatchObject([{ status: "failed", sshCommand: undefined }]);
    expect(billing()).toHaveLength(1);
  });

  test("is refused where its machine is not, and with GPUs that it has not", async () => {
    const rig = createRig();
    const { machine, wanted } = await freeMachine(rig);
    const tryWith = (fields: object) => rig.call("POST", create, { ...wanted, gpu_count: 1, ...fields });
    const bad = (message: string) => refusal(400, "BAD_REQUEST", message);
    expect(await tryWith({ node_name: "nowhere" })).toMatchObject(bad("node_name: node nowhere not found"));
    expect(await tryWith({ cluster_name: "other" })).toMatchObject(
      bad(`cluster_name: node ${machine.id} is in ${machine.cluster_name}`),
    );
    expect(await tryWith({ gpu_count: 9 })).toMatchObject(
      bad(`gpu_count: 9 GPUs not available on node ${machine.id}, 8 free`),
    );
    expect(await tryWith({ gpu_count: 0.5 })).toMatchObject(
      bad("gpu_count: must be a whole number, 1 or more (got 0.5)"),
    );
  });

  test("cannot be ended twice, nor if nobody knows it", async () => {
    const rig = createRig();
    const { wanted } = await freeMachine(rig);
    const { instanceId: id } = await typed(rig).createInstance({ ...wanted, gpu_count: 1 });
    await rig.ok("POST", terminate, { id });
    expect(await rig.call("POST", terminate, { id })).toMatchObject(refusal(400, "BAD_REQUEST", "already terminated"));
    const unknown = refusal(404, "NOT_FOUND", "instance not found");
    expect(await rig.call("POST", terminate, { id: "x" })).toMatchObject(unknown);
  });
});

test("the GPUs of a machine are never oversold, whatever is asked for in whatever order", async () => {
  const step = fc.oneof(
    fc.record({ take: fc.integer({ min: 1, max: 8 }) }),
    fc.record({ end: fc.nat(10) }),
    fc.record({ wait: fc.integer({ min: 1, max: 5 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const rig = createRig({ provisionSeconds: 2, endSeconds: 3 });
      const { machine, wanted } = await freeMachine(rig);
      const made: string[] = [];
      for (const action of steps) {
        if ("take" in action) {
          // Two at a time, so that they meet.
          const both = [0, 1].map(() => rig.call("POST", create, { ...wanted, gpu_count: action.take }));
          await Promise.all(both);
        } else if ("end" in action) {
          const id = made[action.end % Math.max(1, made.length)];
          if (id !== undefined) await rig.call("POST", terminate, { id });
        } else rig.emulator.clock.advance(action.wait);
        const now = (await typed(rig).listMachines()).find(({ id }) => id === machine.id);
        expect(now?.gpus_reserved).toBeLessThanOrEqual(8);
        made.splice(0, made.length, ...(now?.instances ?? []).map(({ id }) => id));
      }
    }),
    { numRuns: 50, seed: 1 },
  );
});
