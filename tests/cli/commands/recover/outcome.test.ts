import { findOutcome } from "../../../../cli/commands/recover/outcome";
import { noWitness, type Values, whereKey } from "../../../../provider/lifecycle";
import { FakeEngine } from "../../../lifecycle/fakeEngine";
import { baseUrl, beginning, createRig, paths, type Rig, type RigOptions } from "../../../lifecycle/rig";
import { checked, getHandler, managed, post, searchOf, urnOf } from "./interrupted";

const rental = { gpuCount: 8, networkType: "ethernet", cudaVersion: "cuda12.8" };

const urn = urnOf("BareMetalRental", "it");

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

  test.each<[string, Values]>([
    ["at another address", { __where: { address: "https://far.example" } }],
    ["in another account", { __where: { address: baseUrl, account: "somebody-else" } }],
    ["under another label", { label: "theirs" }],
  ])("is found although another stack has its id for a machine %s", async (_, outputs) => {
    const { runtime, find, send } = interrupt("BareMetalRental", rental);
    const { id } = await send();
    const theirs = { urn: urn.replace(":dev:", ":far:"), type: "BareMetalRental", id, outputs };
    runtime.state = { ...noWitness, elsewhere: async () => [theirs] };
    expect(await find()).toMatchObject({ kind: "created", id });
  });

  test("is no machine that another stack has, with the label of the user's choice or its own", async () => {
    for (const label of ["chosen", undefined]) {
      const { runtime, find, send } = interrupt("BareMetalRental", { ...rental, ...(label && { label }) });
      const made = await send();
      const outputs = { label: made.label, __where: { address: baseUrl } };
      const theirs = { urn: urn.replace(":dev:", ":far:"), type: "BareMetalRental", id: made.id, outputs };
      runtime.state = { ...noWitness, elsewhere: async () => [theirs] };
      expect(await find()).toMatchObject({ kind: "notCreated" });
    }
  });

  test("is nothing only when the lists can no longer lag", async () => {
    const { rig, asked, find } = interrupt("BareMetalRental", rental);
    expect(await find()).toEqual({
      kind: "notCreated",
      reason: `no live bare-metal rental "${asked["label"]}" is listed`,
    });
    expect(rig.clock.now() - beginning).toBeGreaterThanOrEqual(120_000);
  });

  test("is nothing also with a new key: that it is of the same account was seen to before", async () => {
    const { asked, find } = interrupt("BareMetalRental", rental);
    asked[whereKey] = { address: baseUrl, key: "the former one" };
    expect(await find()).toMatchObject({ kind: "notCreated" });
  });

  test("is not concluded from a list that fails", async () => {
    const { rig, find } = interrupt("BareMetalRental", rental);
    rig.fault({ match: { method: "GET", path: paths.bareMetal }, times: 1000, kind: "status", status: 500 });
    await expect(find()).rejects.toThrow(
      /^whether ".*" was created is unknown: GET .* answered 500: fault\. Nothing was changed; run this again\.$/,
    );
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
    expect(await find()).toEqual({
      kind: "unresolved",
      fingerprint: "train",
      isChosenLabel: true,
      isListed: true,
      since: 0,
      reason: expect.stringMatching(
        new RegExp(
          `^bare-metal rental ${id} "train" \\(.*\\$19\\.92/h.*\\) may be it; nothing proves it, so nothing was taken over or terminated\\. If it is: \`gpufleet recover --adopt ${id} --urn '${urn}'\`\\. If nothing was created: \`gpufleet recover --nothing-made --urn '${urn}'\`\\.$`,
        ),
      ),
    });
  });

  test("is not even the only machine with the user's label that was created since the run began", async () => {
    const { rig, find, send } = interrupt("BareMetalRental", { ...rental, label: "train" });
    rig.clock.advance(5);
    await send();
    expect(await find()).toMatchObject({ kind: "unresolved", fingerprint: "train" });
  });

  test("is nothing where all that have the user's label are in the state, or were asked for otherwise", async () => {
    const { rig, runtime, find } = interrupt("BareMetalRental", { ...rental, label: "train" });
    runtime.memory.remember("BareMetalRental", await somebodyRents(rig, "train"), "urn:of:another");
    await rig.run(rig.client.createBareMetalRental({ gpuCount: 16, networkType: "ethernet", label: "train" }));
    expect(await find()).toEqual({
      kind: "notCreated",
      reason: 'no live bare-metal rental "train" is listed that may be it and is missing from the states',
    });
  });

  test("is the first where a proxy has sent the create twice, and the other is no predecessor of it", async () => {
    const { find, send } = interrupt("BareMetalRental", rental);
    const { id } = await send();
    await send();
    const outcome = await find();
    expect(outcome).toMatchObject({ kind: "created", id });
    expect(outcome).not.toHaveProperty("outputs.__predecessors");
  });

  test("is unresolved where the list cannot be read in full, because it may be what cannot be read", async () => {
    const { rig, asked } = interrupt("BareMetalRental", rental);
    const runtime = rig.startProvider();
    const { client } = runtime;
    const listBareMetalRentals: typeof client.listBareMetalRentals = async (call) =>
      Object.assign(await client.listBareMetalRentals(call), { unreadable: [{ id: undefined, reason: "no id" }] });
    Object.defineProperty(runtime, "client", { value: { ...client, listBareMetalRentals } });
    const outcome = await rig.run(findOutcome(searchOf(runtime), managed("BareMetalRental", "it", asked)));
    expect(outcome).toEqual({
      kind: "unresolved",
      fingerprint: asked["label"],
      isChosenLabel: false,
      isListed: false,
      since: 0,
      reason: `The list of bare-metal rentals cannot be read in full (no id). Look for it in the service's console. If it is there, end it there; then, or if it is not: \`gpufleet recover --nothing-made --urn '${urn}'\`.`,
    });
  });

  test("is unresolved where the service has no list", async () => {
    const { asked, find, send } = interrupt("VmRental", { gpuCount: 1 }, { emulator: { dialect: "none" } });
    await send();
    expect(await find()).toEqual({
      kind: "unresolved",
      fingerprint: asked["label"],
      isChosenLabel: false,
      isListed: false,
      since: 0,
      reason: `The service does not list virtual-machine rentals. Look for it in the service's console. If it is there, end it there; then, or if it is not: \`gpufleet recover --nothing-made --urn '${urnOf("VmRental", "it")}'\`.`,
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
    "is never taken, however much alike: it is named with its price (machine left to us: %s)",
    async (choice) => {
      const { machine, find, send } = await interruptInstance(choice);
      const { id } = await send();
      expect(await find()).toEqual({
        kind: "unresolved",
        fingerprint: choice ? "any-machine/1" : `${machine.clusterName}/${machine.nodeName}/1`,
        isChosenLabel: false,
        isListed: true,
        since: 0,
        reason: expect.stringMatching(
          new RegExp(
            `^marketplace instance ${id} \\(.*\\$\\d.*/h.*\\) may be it; .*--adopt ${id} --urn .*--nothing-made --urn `,
          ),
        ),
      });
    },
  );

  test("is not one that another stack rents of another model while a machine was left to us", async () => {
    const rig = createRig();
    const runtime = rig.startProvider();
    const asked = checked(runtime, "MarketplaceInstance", "it", { gpuCount: 1, select: { gpuModel: "A100" } });
    const other = new FakeEngine(rig, { stack: "prod" });
    const select = { gpuModel: "H100" };
    await other.up({ worker: { type: "MarketplaceInstance", inputs: { gpuCount: 1, select } } });
    const outcome = await rig.run(findOutcome(searchOf(runtime), managed("MarketplaceInstance", "it", asked)));
    expect(outcome).toMatchObject({ kind: "unresolved" });
  });

  test.each([false, true])(
    "was not created when the state has all there are (machine left to us: %s)",
    async (choice) => {
      const { runtime, find, send } = await interruptInstance(choice);
      const { id } = await send();
      runtime.memory.remember("MarketplaceInstance", id, "urn:of:another");
      expect(await find()).toEqual({
        kind: "notCreated",
        reason: "no live marketplace instance is listed that may be it and is missing from the states",
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
