import { createRig, paths, refusal } from "../rig";
import { typed } from "../typed";

describe("a virtual machine", () => {
  test("shows by startedAt that it is ready, and has neither status nor price", async () => {
    const rig = createRig({ provisionSeconds: 60 });
    const { createVm, listVms } = typed(rig);
    const created = await createVm({ label: "dev", gpuCount: 2, customPorts: [8080] });
    expect(created).toMatchObject({ rentalType: "virtual-machine", label: "dev", startedAt: null });
    expect(Object.keys(created)).not.toEqual(expect.arrayContaining(["status", "currentTerm", "costPerHour"]));
    rig.emulator.clock.advance(60);
    expect(await listVms()).toMatchObject([{ id: created.id, startedAt: "2026-09-12T14:00:00.123Z", gpuCount: 2 }]);
  });

  test("leaves the list when it has ended", async () => {
    const rig = createRig({ endSeconds: 5 });
    const { createVm, listVms, endVm } = typed(rig);
    const { id } = await createVm();
    await endVm(id);
    expect(await listVms()).toHaveLength(1);
    rig.emulator.clock.advance(5);
    expect(await listVms()).toEqual([]);
  });

  test.each([0, -1, 1.5])("has a whole number of GPUs, not %d", async (gpuCount) => {
    const { call } = createRig();
    const message = `gpuCount: must be a whole number, 1 or more (got ${gpuCount})`;
    expect(await call("POST", paths.vm, { gpuCount })).toMatchObject(refusal(400, "BAD_REQUEST", message));
  });

  test("that fails shows when it was terminated, and costs nothing from then on", async () => {
    const rig = createRig({ provisionSeconds: 60 });
    const { createVm, listVms, billing, statusOf } = typed(rig);
    rig.emulator.faults.add({ match: { method: "POST", path: paths.vm }, kind: "fail-provisioning" });
    const { id } = await createVm();
    expect(await listVms()).toMatchObject([{ terminatedAt: null }]);
    expect(billing()).toHaveLength(1);
    rig.emulator.clock.advance(60);
    expect(await listVms()).toMatchObject([{ startedAt: null, terminatedAt: "2026-09-12T14:00:00.123Z" }]);
    expect(billing()).toEqual([]);
    expect(statusOf(id)).toBe("Failed");
  });
});
