import type { EmulatorOptions } from "../../emulator";
import { originKey } from "../../provider/lifecycle";
import { FakeEngine, getHandler, type Program } from "../lifecycle/fakeEngine";
import { createRig, paths } from "../lifecycle/rig";
import {
  answering,
  changingAnswer,
  changingList,
  type Item,
  intercepting,
  type Sent,
  type Wire,
} from "../lifecycle/wire";

function createStack(emulator: EmulatorOptions = {}) {
  const rig = createRig({ emulator });
  return { rig, stack: new FakeEngine(rig) };
}

describe("A marketplace instance that the service gives several names", () => {
  const program: Program = { bargain: { type: "MarketplaceInstance", inputs: { gpuCount: 1, select: {} } } };
  const list = { method: "POST", path: paths.instances };
  const id = expect.stringMatching(/^instance-/);

  test("goes by the one that the list knows", async () => {
    const { rig, stack } = createStack({ dialect: "bare" });
    expect((await stack.up(program)).errors).toEqual({});
    expect(stack.get("bargain")).toMatchObject({ id, outputs: { status: "NODE_READY" } });
    expect(stack.get("bargain").outputs).not.toHaveProperty("answeredNames");
    expect((await stack.up(program, { refresh: true })).steps).toEqual(["same bargain"]);
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("goes by the one that the machine shows, where the list lags behind", async () => {
    const { rig, stack } = createStack({ dialect: "bare" });
    rig.fault({ match: list, times: 20, kind: "stale-list", seconds: 60 });
    const bargain = { type: "MarketplaceInstance", inputs: { gpuCount: 1, select: {}, waitForReady: false } };
    expect((await stack.up({ bargain })).errors).toEqual({});
    expect(stack.get("bargain")).toMatchObject({ id });
  });

  /** The list is refused from right after the create on: nothing shows which of the names is the id. */
  async function upUnlisted() {
    const { rig, stack } = createStack({ dialect: "bare" });
    rig.fault({ match: list, nth: 2, times: 1000, kind: "status", status: 403, body: { error: "forbidden" } });
    const { errors } = await stack.up(program);
    rig.emulator.faults.clear();
    const [made] = rig.billing();
    expect(errors["bargain"]).toMatch(
      new RegExp(`it was created as 1 and ${made}, and no list has shown which of these is its id: .* answered 403`),
    );
    expect(stack.get("bargain")).toMatchObject({
      id: expect.stringMatching(/^unresolved:/),
      outputs: { answeredNames: ["1", made] },
    });
    return { rig, stack, made };
  }

  test("keeps all of them where no list can be had, and the next up goes by the right one", async () => {
    const { rig, stack, made } = await upUnlisted();
    expect((await stack.up(program)).errors).toEqual({});
    expect(stack.get("bargain").id).toBe(made);
    expect(rig.billing()).toHaveLength(1);
    expect((await stack.up(program, { refresh: true })).steps).toEqual(["same bargain"]);
  });

  test("is neither taken nor ended where two are listed, each under one of them", async () => {
    const { rig, stack, made } = await upUnlisted();
    const two = ["1", String(made)].map((instance_name) => ({ instance_name, status: "node_ready", gpu_count: 1 }));
    rig.fault({ match: list, times: 1000, kind: "status", status: 200, body: two });
    const said = /may be it; nothing proves it, so nothing was taken over or terminated/;
    expect((await stack.up(program)).errors["bargain"]).toMatch(said);
    expect((await stack.destroy()).errors["bargain"]).toMatch(said);
    expect(rig.billing()).toEqual([made]);
  });

  test("is ended under the right one by a destroy that comes before", async () => {
    const { rig, stack } = await upUnlisted();
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
    expect(stack.state.size).toBe(0);
  });
});

describe("A marketplace instance that the create calls otherwise than the list", () => {
  const program = (more: object = {}): Program => ({
    bargain: { type: "MarketplaceInstance", inputs: { gpuCount: 1, select: {}, ...more } },
  });
  const answered = changingAnswer("POST", paths.createInstance, ({ instance_id }) => ({ instance_name: instance_id }));
  const both = (items: Item[]) => items.map((item) => ({ ...item, id: `x-${item["id"]}`, instance_name: item["id"] }));
  const notFound = () => answering(404, { error: "instance not found" });
  const isTerminate = ({ path }: Sent) => path === paths.endInstance;

  /** A service that terminates by the id that its list shows, or by the name that its create has answered. */
  const serviceThatEndsBy = (known: "id" | "name", listed: Wire = changingList(paths.instances, both)): Wire => {
    const plainId: Wire = (transport) => (request) => {
      const body = request.body?.replace('"x-', '"');
      return transport({ ...request, ...(body !== undefined && { body }) });
    };
    const refusing = intercepting((request) => {
      const isKnown = String(request.body["id"]).startsWith("x-") === (known === "id");
      return isTerminate(request) && !isKnown ? notFound() : undefined;
    });
    return (transport) => answered(listed(refusing(plainId(transport))));
  };

  test.each(["id", "name"] as const)("is waited for, refreshed, and ended by its %s", async (known) => {
    const { rig, stack } = createStack();
    const start = () => ({ provider: rig.startProvider({}, { wire: serviceThatEndsBy(known) }) });
    expect((await stack.up(program(), start())).errors).toEqual({});
    rig.clock.advance(600);
    expect((await stack.up(program(), { refresh: true, ...start() })).steps).toEqual(["same bargain"]);
    expect((await stack.destroy(start())).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("is held under the name of the answer where the list lags behind, and is the same one in all later runs", async () => {
    const { rig, stack } = createStack();
    const empty = changingList(paths.instances, () => []);
    const lagging = rig.startProvider({}, { wire: serviceThatEndsBy("id", empty) });
    expect((await stack.up(program({ waitForReady: false }), { provider: lagging })).errors).toEqual({});
    expect(stack.get("bargain").id).toMatch(/^instance-/);
    rig.clock.advance(600);
    const start = () => ({ provider: rig.startProvider({}, { wire: serviceThatEndsBy("id") }) });
    const refreshed = await stack.up(program({ waitForReady: false }), { refresh: true, ...start() });
    expect(refreshed.steps).toEqual(["same bargain"]);
    expect((await stack.destroy(start())).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("is adopted by its id only, so that no two resources have it under two names", async () => {
    const { rig, stack } = createStack();
    await rig.run(new FakeEngine(rig, { stack: "other" }).up(program()));
    const provider = rig.startProvider({}, { wire: serviceThatEndsBy("id") });
    const [made] = rig.billing();
    const { errors } = await stack.up(program({ adoptId: made }), { provider });
    expect(errors["bargain"]).toContain(`the service lists it with the id x-${made}. Use that id`);
  });
});

test("A marketplace instance is waited for in a state that nobody knows, which its row shows", async () => {
  const { rig } = createStack({ dialect: "bare" });
  const provider = rig.startProvider();
  const handler = getHandler("MarketplaceInstance");
  const origin = "organization/urn:pulumi:test::rig::pulumi-nodejs:dynamic/gpufleet:MarketplaceInstance::bargain";
  const { inputs } = handler.check(provider, {}, { gpuCount: 1, select: {}, [originKey]: origin });
  const { outputs } = await rig.run(handler.create(provider, inputs));
  expect(outputs["status"]).toBe("NODE_READY");
  expect(provider.shown.map(({ text }) => text)).toContainEqual(expect.stringMatching(/^allocating_node \d+s/));
});

describe("A storage volume whose record has two ids", () => {
  const program: Program = {
    node: {
      type: "BareMetalRental",
      inputs: {
        networkType: "infiniband",
        gpuCount: 8,
        storageVolume: { isNew: true, label: "scratch", sizeInGb: 512 },
      },
    },
    data: { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } },
    link: {
      type: "VolumeAttachment",
      inputs: ({ node, data }) => ({ storageVolumeId: Number(data), rentalIds: [Number(node)] }),
    },
  };

  test("is made, attached, refreshed and deleted by the one that the operations take", async () => {
    const { rig, stack } = createStack({ volumeIds: "separate" });
    expect((await stack.up(program)).errors).toEqual({});
    const [volume] = rig.emulator.state().filter(({ label }) => label === stack.get("data").outputs["label"]);
    expect(stack.get("data").id).toBe(String(volume?.id));
    const { steps, errors } = await stack.up(program, { refresh: true });
    expect({ steps: steps.sort(), errors }).toEqual({ steps: ["same data", "same link", "same node"], errors: {} });
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });
});

test("A storage volume whose record has its id as text is the one that was created", async () => {
  const { rig, stack } = createStack({ volumeIds: "separate" });
  const wire = changingList(paths.volumes, (items) =>
    items.map((item) => ({ ...item, storageVolumeId: String(item["storageVolumeId"]) })),
  );
  const program: Program = { data: { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } } };
  const start = () => ({ provider: rig.startProvider({}, { wire }) });
  const up = await stack.up(program, start());
  expect(up.errors).toEqual({});
  expect(up.provider.shown.filter(({ kind }) => kind === "warning")).toEqual([]);
  rig.clock.advance(600);
  expect((await stack.up(program, { refresh: true, ...start() })).steps).toEqual(["same data"]);
  expect(rig.billing()).toHaveLength(1);
});

test("A storage volume that never becomes active says what may be the reason", async () => {
  const { rig, stack } = createStack();
  rig.fault({ match: { method: "POST", path: paths.volumes }, kind: "fail-provisioning" });
  const { errors } = await stack.up({
    data: { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } },
  });
  expect(errors["data"]).toBe(
    'creating StorageVolume "data": still inactive after 10m00s. It is not attached to a rental: if the service calls volumes ' +
      "active only while a rental uses them, set waitForReady: false. It is in the state with id 1. It costs $0.0256/h. " +
      "Run `pulumi up` again to continue waiting, or raise timeouts.create. `pulumi destroy` terminates it.",
  );
});
