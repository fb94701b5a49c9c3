import { whereKey } from "../../../provider/lifecycle";
import { FakeEngine, type Kept, type Program } from "../fakeEngine";
import { createRig, paths, type RigOptions } from "../rig";

const rental = (more: object = {}) => ({
  type: "BareMetalRental",
  inputs: { networkType: "infiniband", gpuCount: 8, ...more },
});
const list = { method: "GET", path: paths.bareMetal };
/** Long enough for a list to show everything that there is. */
const later = 600;

/** Where a create is sent is among the inputs only until it is read. */
function seen({ inputs: { [whereKey]: _, ...inputs }, ...kept }: Kept): Kept {
  return { ...kept, inputs };
}

async function running(program: Program = { train: rental() }, options: RigOptions = {}) {
  const rig = createRig(options);
  const stack = new FakeEngine(rig);
  expect((await stack.up(program)).errors).toEqual({});
  rig.clock.advance(later);
  return { rig, stack };
}

describe("A refresh", () => {
  test("changes nothing where nothing has changed, however often, and asks once per kind, and for no export of the state", async () => {
    const program: Program = {
      ...Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`node-${index}`, rental()])),
      data: { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } },
      box: { type: "VmRental", inputs: { gpuCount: 1 } },
    };
    const { rig, stack } = await running(program);
    const entries = jest.spyOn(stack, "entries");
    const before = structuredClone([...stack.state].map(([name, kept]) => [name, seen(kept)]));
    for (let time = 0; time < 2; time += 1) {
      const asked = rig.count("GET", paths.bareMetal);
      expect((await stack.refresh()).errors).toEqual({});
      expect([...stack.state]).toEqual(before);
      expect(rig.count("GET", paths.bareMetal)).toBe(asked + 1);
    }
    expect(entries).not.toHaveBeenCalled();
  });

  test("finds gone what has ended, and the next up makes it again", async () => {
    const { rig, stack } = await running();
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    rig.clock.advance(60);
    expect((await stack.up({ train: rental() }, { refresh: true })).steps).toEqual(["gone train", "create train"]);
    expect(rig.billing()).toEqual([1002]);
  });

  test("finds gone what the list still shows as ended", async () => {
    const { rig, stack } = await running(undefined, { emulator: { dialect: "rich" } });
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    rig.clock.advance(60);
    expect((await stack.refresh()).steps).toEqual(["gone train"]);
  });

  test.each([
    ["a page of HTML", { kind: "garbage" }],
    ["an object", { kind: "status", status: 200, body: {} }],
    ["null", { kind: "status", status: 200, body: null }],
    ["half an array", { kind: "truncate" }],
    ["an error", { kind: "status", status: 500 }],
    ["a redirect", { kind: "status", status: 302, headers: { location: "https://elsewhere.example/" } }],
  ] as const)("does not take %s for a list in which it is gone", async (_, fault) => {
    const { rig, stack } = await running();
    rig.fault({ match: list, times: 99, ...fault });
    const { errors } = await stack.up({ train: rental() }, { refresh: true });
    expect(errors["train"]).toMatch(/^reading BareMetalRental "train": GET \/v2\/alpha\/on-demand\/bare-metal-rentals/);
    expect(stack.get("train").id).toBe("1001");
    expect(rig.count("POST", paths.bareMetal)).toBe(1);
  });

  test("does not take a list of records without an id for one in which it is gone", async () => {
    const { rig, stack } = await running();
    rig.fault({ match: list, times: 999, kind: "status", status: 200, body: [{}] });
    const { errors } = await stack.up({ train: rental() }, { refresh: true });
    expect(errors["train"]).toMatch(
      /^reading BareMetalRental "train": it is not listed, but the list of bare-metal rentals has an item that cannot be read and may be it \(no id\): /,
    );
    expect(stack.get("train").id).toBe("1001");
    expect(rig.count("POST", paths.bareMetal)).toBe(1);
  });

  test("shows drift as a difference of inputs, and the next up replaces", async () => {
    const { rig, stack } = await running();
    const [record] = await rig.run(rig.client.listBareMetalRentals());
    rig.fault({ match: list, times: 3, kind: "status", status: 200, body: [{ ...record, gpuType: "h200" }] });
    const { steps } = await stack.up({ train: rental() }, { refresh: true });
    expect(steps).toEqual(["replace train", "delete train"]);
  });

  test("keeps what the record does not carry", async () => {
    const more = { cudaVersion: "cuda12.9", maxCostPerHour: 30, timeouts: { create: "1h" }, monitoringEnabled: true };
    const { stack } = await running({ train: rental(more) });
    await stack.refresh();
    expect(stack.get("train").inputs).toMatchObject(more);
    expect(stack.get("train").outputs).toMatchObject(more);
  });

  test("notes the status, also one that calls for a replacement", async () => {
    const { rig, stack } = await running(undefined, { emulator: { endSeconds: 900 } });
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    await stack.refresh();
    expect(stack.get("train").outputs["status"]).toBe("Terminating");
  });

  test("keeps a virtual machine where there is no list, and says that it could not be verified", async () => {
    const { stack } = await running(
      { box: { type: "VmRental", inputs: { gpuCount: 1 } } },
      { emulator: { dialect: "none" } },
    );
    const { errors, provider } = await stack.refresh();
    expect(errors).toEqual({});
    expect(provider.shown.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      "warning: could not be verified: the service has no list of virtual-machine rentals. The state is kept",
    ]);
    expect(stack.get("box").id).toBe("1001");
  });

  test("reads a state that an older version wrote, with fewer fields", async () => {
    const { stack } = await running();
    const kept = stack.get("train");
    const { waitForSsh: _, nodes: __, ssh: ___, createdAt: ____, ...old } = kept.outputs;
    stack.state.set("train", { ...kept, outputs: old });
    expect((await stack.up({ train: rental() }, { refresh: true })).steps).toEqual(["same train"]);
    expect(stack.get("train").outputs).toMatchObject({ createdAt: expect.any(String), ssh: expect.any(Array) });
  });

  test("leaves what is unresolved as it is", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "reset-before" });
    await stack.up({ train: rental() });
    const before = seen(stack.get("train"));
    await stack.refresh();
    expect(stack.get("train")).toEqual({ ...before, initError: undefined });
  });
});

describe("A volume made along with a rental", () => {
  const inline = { storageVolume: { isNew: true, label: "scratch", sizeInGb: 300 } };
  const volumes = (rig: Awaited<ReturnType<typeof running>>["rig"]) =>
    rig.emulator.state().filter(({ kind }) => kind === "storage-volume");

  test("is in the outputs with its id and cost, and ends after the rental", async () => {
    const { rig, stack } = await running({ train: rental(inline) });
    expect(stack.get("train").outputs["attachedStorage"]).toEqual([
      { id: 1, sizeInGb: 300, costPerHour: 0.03, vip: expect.any(String) },
    ]);
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("does not touch another volume of the same label", async () => {
    const { rig, stack } = await running({ train: rental(inline) });
    await rig.run(rig.client.createStorageVolume({ region: "us-central-1", label: "scratch", sizeInGb: 256 }));
    expect((await stack.destroy()).errors).toEqual({});
    expect(volumes(rig).map(({ billing }) => billing)).toEqual([false, true]);
  });

  test("stays with keepVolume, and the delete says so by id and price", async () => {
    const { rig, stack } = await running({ train: rental({ ...inline, keepVolume: true }) });
    const { provider } = await stack.destroy();
    expect(provider.shown.filter(({ kind }) => kind === "info").map(({ text }) => text)).toEqual([
      "keepVolume: storage volume 1 (300 GB) is kept and costs $0.0300/h",
    ]);
    expect(rig.billing()).toEqual([1]);
  });

  test.each([true, false])(
    "is not lost when the rental is ended elsewhere (waitForReady: %s)",
    async (waitForReady) => {
      const program = { train: rental({ ...inline, waitForReady }) };
      const { rig, stack } = await running(program);
      await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
      // A create that did not wait has seen it in no list: for a while it may be one that is yet to be listed.
      rig.clock.advance(waitForReady ? 60 : 2 * 3600);
      expect(rig.billing()).toEqual([1]);
      const { steps, errors } = await stack.up(program, { refresh: true });
      expect({ steps, errors }).toEqual({ steps: ["replace train", "delete train"], errors: {} });
      expect(volumes(rig).map(({ billing }) => billing)).toEqual([false, true]);
      await stack.destroy();
      expect(rig.billing()).toEqual([]);
    },
  );
});
