import { findOutcome } from "../../../../cli/commands/recover/outcome";
import type { Values } from "../../../../provider/lifecycle";
import { beginning, createRig, paths, type Rig, type RigOptions } from "../../../lifecycle/rig";
import { checked, getHandler, managed, post, searchOf } from "./interrupted";

const rental = { gpuCount: 8, networkType: "ethernet", cudaVersion: "cuda12.8" };

/** A create that was cut off: before its request, or after it. */
function interrupt(type: string, inputs: Values, options: RigOptions = {}) {
  const rig = createRig(options);
  const runtime = rig.startProvider();
  const asked = checked(runtime, type, "it", inputs);
  const find = (more = {}) => rig.run(findOutcome(searchOf(runtime, more), managed(type, "it", asked)));
  return { rig, runtime, asked, find, send: (inputs = asked) => rig.run(post(rig, type, inputs)) };
}

async function somebodyRents(rig: Rig, label: string): Promise<string> {
  const made = await rig.run(rig.client.createBareMetalRental({ gpuCount: 8, networkType: "ethernet", label }));
  return String(made.id);
}

describe("The result of an interrupted create", () => {
  test("is the one with its very label, and none whose label begins or ends alike", async () => {
    const { rig, asked, find, send } = interrupt("BareMetalRental", rental);
    await somebodyRents(rig, `${asked["label"]}x`);
    await somebodyRents(rig, `x${asked["label"]}`);
    const { id } = await send();
    expect(await find()).toMatchObject({ kind: "created", id });
  });

  test("has the outputs that its create would have returned", async () => {
    const { rig, runtime, asked, find, send } = interrupt("BareMetalRental", rental);
    await send();
    const found = await find();
    // The same machine, adopted by the provider's own create.
    const [id] = rig.billing();
    const { label: _, ...unlabelled } = asked;
    const created = await rig.run(
      getHandler("BareMetalRental").create(runtime, { ...unlabelled, adoptId: String(id) }),
    );
    const { adoptId: _adopted, __asked: _asked, ...outputs } = created.outputs;
    expect(found).toMatchObject({
      kind: "created",
      isPending: false,
      outputs: { ...outputs, cudaVersion: "cuda12.8" },
    });
  });

  test("is found when the lists lag", async () => {
    const { rig, find, send } = interrupt("BareMetalRental", rental);
    rig.fault({ match: { method: "GET", path: paths.bareMetal }, times: 1000, kind: "stale-list", seconds: 60 });
    const { id } = await send();
    expect(await find()).toMatchObject({ kind: "created", id });
    expect(rig.clock.now() - beginning).toBeGreaterThanOrEqual(60_000);
  });

  test("is nothing only when the lists can no longer lag", async () => {
    const { rig, asked, find } = interrupt("BareMetalRental", rental);
    expect(await find()).toEqual({
      kind: "notCreated",
      reason: `no live bare-metal rental "${asked["label"]}" is listed`,
    });
    expect(rig.clock.now() - beginning).toBeGreaterThanOrEqual(120_000);
  });

  test("is not concluded from a list that fails", async () => {
    const { rig, find } = interrupt("BareMetalRental", rental);
    rig.fault({ match: { method: "GET", path: paths.bareMetal }, times: 1000, kind: "status", status: 500 });
    await expect(find()).rejects.toThrow("answered 500");
  });

  test("is waited for when it is nearly ready, and left to the next up when it is not", async () => {
    const soon = interrupt("BareMetalRental", rental, { emulator: { provisionSeconds: 50 } });
    await soon.send();
    expect(await soon.find()).toMatchObject({ isPending: false, outputs: { status: "Running" } });
    const late = interrupt("BareMetalRental", rental, { emulator: { provisionSeconds: 900 } });
    await late.send();
    expect(await late.find()).toMatchObject({ isPending: true, outputs: { status: "Pending", __unfinished: true } });
  });

  test("is not a machine that merely has the label of the user's choice", async () => {
    const { rig, find } = interrupt("BareMetalRental", { ...rental, label: "train" });
    const id = await somebodyRents(rig, "train");
    expect(await find()).toMatchObject({
      kind: "unresolved",
      trace: "train",
      reason: expect.stringMatching(
        new RegExp(`^bare-metal rental ${id} "train" \\(.*\\) may be it, or may have existed before$`),
      ),
    });
  });

  test("is the only machine with the user's label that was created since the run began", async () => {
    const { rig, find, send } = interrupt("BareMetalRental", { ...rental, label: "train" });
    const since = rig.clock.now();
    const { id } = await send();
    expect(await find({ since })).toMatchObject({ kind: "created", id });
    await somebodyRents(rig, "train");
    expect(await find({ since })).toMatchObject({ kind: "unresolved" });
  });

  test("is unresolved when two have the same automatic label", async () => {
    const { find, send } = interrupt("BareMetalRental", rental);
    await send();
    await send();
    expect(await find()).toMatchObject({ kind: "unresolved", reason: expect.stringMatching(/ all have its label$/) });
  });

  test("is unresolved where the service has no list", async () => {
    const { asked, find, send } = interrupt("VmRental", { gpuCount: 1 }, { emulator: { dialect: "none" } });
    await send();
    expect(await find()).toEqual({
      kind: "unresolved",
      trace: asked["label"],
      reason: "the service does not list virtual-machine rentals",
    });
  });

  test("is nothing where it was to adopt what exists", async () => {
    const { find } = interrupt("BareMetalRental", { ...rental, adoptId: 7 });
    expect(await find()).toEqual({ kind: "notCreated", reason: "it was to adopt 7, which creates nothing" });
  });
});

describe("A marketplace instance, which has no label", () => {
  async function freeMachine(rig: Rig) {
    const { instances } = await rig.run(rig.client.listMarketplaceMachines({ filters: {} }));
    const machine = instances.find(
      ({ gpus_total, gpus_reserved, reserved }) => !reserved && gpus_total > gpus_reserved,
    );
    if (!machine) throw new Error("no machine is free");
    return { clusterName: machine.cluster_name, nodeName: machine.id };
  }

  async function interruptInstance(leaveChoice: boolean) {
    const rig = createRig();
    const machine = await freeMachine(rig);
    const runtime = rig.startProvider();
    const inputs = { gpuCount: 1, ...(leaveChoice ? { select: {} } : machine) };
    const asked = checked(runtime, "MarketplaceInstance", "it", inputs);
    const find = (more = {}) =>
      rig.run(findOutcome(searchOf(runtime, more), managed("MarketplaceInstance", "it", asked)));
    const send = () => rig.run(post(rig, "MarketplaceInstance", { ...asked, ...machine }));
    return { rig, runtime, machine, find, send };
  }

  test.each([false, true])(
    "is found by its machine, its size and its time (machine left to us: %s)",
    async (choice) => {
      const { rig, machine, find, send } = await interruptInstance(choice);
      const since = rig.clock.now();
      const { id } = await send();
      const found = await find({ since });
      expect(found).toMatchObject({ kind: "created", id, outputs: { ...machine, costPerHour: expect.any(Number) } });
    },
  );

  test.each([false, true])(
    "is unresolved where the time of the run is unknown (machine left to us: %s)",
    async (choice) => {
      const { machine, find, send } = await interruptInstance(choice);
      await send();
      expect(await find()).toMatchObject({ kind: "unresolved", trace: `${machine.clusterName}/${machine.nodeName}/1` });
    },
  );

  test.each([false, true])(
    "was not created when the state has all there are (machine left to us: %s)",
    async (choice) => {
      const { runtime, find, send } = await interruptInstance(choice);
      const { id } = await send();
      runtime.memory.remember("MarketplaceInstance", id, "urn:of:another");
      expect(await find()).toEqual({
        kind: "notCreated",
        reason: "no marketplace instance of its size is listed that is missing from the state",
      });
    },
  );
});

describe("An attachment", () => {
  async function interruptAttachment() {
    const rig = createRig();
    const volume = await rig.run(
      rig.client.createStorageVolume({ label: "data", region: "us-central-1", sizeInGb: 256 }),
    );
    const rentalId = Number(await somebodyRents(rig, "one"));
    const inputs = { storageVolumeId: volume.storageVolumeId, rentalIds: [rentalId] };
    rig.emulator.clock.advance(60);
    const runtime = rig.startProvider();
    const subject = managed("VolumeAttachment", "it", checked(runtime, "VolumeAttachment", "it", inputs));
    return { rig, inputs, find: () => rig.run(findOutcome(searchOf(runtime), subject)) };
  }

  test("is found at the volume", async () => {
    const { rig, inputs, find } = await interruptAttachment();
    await rig.run(rig.client.attachStorageVolume(inputs));
    const id = `${inputs.storageVolumeId}:${inputs.rentalIds[0]}`;
    expect(await find()).toMatchObject({
      kind: "created",
      id,
      outputs: { rentalIds: inputs.rentalIds, status: "attached" },
    });
  });

  test("that was not created is known at once: attaching again does no harm", async () => {
    const { rig, inputs, find } = await interruptAttachment();
    const before = rig.clock.now();
    const reason = `volume ${inputs.storageVolumeId} is attached to none of its rentals`;
    expect(await find()).toEqual({ kind: "notCreated", reason });
    expect(rig.clock.now()).toBe(before);
  });
});
