import { whereKey } from "../../provider/lifecycle";
import { FakeEngine, type Program } from "../lifecycle/fakeEngine";
import { createRig, paths, type Rig } from "../lifecycle/rig";
import { answering, intercepting } from "../lifecycle/wire";

const node = { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } };
const box = { type: "VmRental", inputs: { gpuCount: 1 } };
type Ids = Readonly<Record<string, string>>;

/** A volume that has these rentals in `rentalIds`; undefined leaves them out. */
const data = (...names: string[]) => ({
  type: "StorageVolume",
  inputs: (ids: Ids) => ({
    region: "us-central-1",
    sizeInGb: 256,
    ...(names.length > 0 && { rentalIds: names.map((name) => Number(ids[name])) }),
  }),
});
const link = (...names: string[]) => ({
  type: "VolumeAttachment",
  inputs: (ids: Ids) => ({ storageVolumeId: Number(ids["data"]), rentalIds: names.map((name) => Number(ids[name])) }),
});
const nodes = { a: node, b: node, c: node };

async function linked(program: Program) {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  expect((await stack.up(program)).errors).toEqual({});
  /** The names of the rentals to which the volume is attached. */
  const attached = async () => {
    const volume = (await rig.run(rig.client.listStorageVolumes()))[0];
    const names = ["a", "b", "c"].filter((name) => volume?.attachedRentals.includes(Number(stack.state.get(name)?.id)));
    return names.join("");
  };
  return { rig, stack, attached };
}

function failElsewhere(rig: Rig) {
  rig.fault({ match: { method: "POST", path: paths.vm }, kind: "status", status: 400, body: { error: "quota" } });
}

const changes: [string, Program, Program, string][] = [
  ["renamed", { ...nodes, data: data(), old: link("a") }, { ...nodes, data: data(), renamed: link("a") }, "a"],
  [
    "swapped",
    { ...nodes, data: data(), one: link("a"), two: link("b") },
    { ...nodes, data: data(), one: link("b"), two: link("a") },
    "ab",
  ],
  [
    "split",
    { ...nodes, data: data(), one: link("a", "b") },
    { ...nodes, data: data(), one: link("a"), two: link("b") },
    "ab",
  ],
  [
    "joined",
    { ...nodes, data: data(), one: link("a"), two: link("b") },
    { ...nodes, data: data(), one: link("a", "b") },
    "ab",
  ],
  [
    "moved round",
    { ...nodes, data: data(), one: link("a"), two: link("b"), three: link("c") },
    { ...nodes, data: data(), one: link("b"), two: link("c"), three: link("a") },
    "abc",
  ],
  ["moved to rentalIds", { ...nodes, data: data(), one: link("a") }, { ...nodes, data: data("a") }, "a"],
  ["moved from rentalIds", { ...nodes, data: data("a") }, { ...nodes, data: data(), one: link("a") }, "a"],
  [
    "moved to rentalIds in part",
    { ...nodes, data: data(), one: link("a", "b") },
    { ...nodes, data: data("b"), one: link("a") },
    "ab",
  ],
  [
    "named twice, and once from then on",
    { ...nodes, data: data("a"), one: link("a") },
    { ...nodes, data: data(), one: link("a") },
    "a",
  ],
  ["removed", { ...nodes, data: data(), one: link("a") }, { ...nodes, data: data() }, ""],
  ["removed from rentalIds", { ...nodes, data: data("a", "b") }, { ...nodes, data: data("b") }, "b"],
];

describe("An attachment that is", () => {
  test.each(changes)("%s is attached in the end as the program says", async (_, before, after, expected) => {
    const { rig, stack, attached } = await linked(before);
    expect((await stack.up(after)).errors).toEqual({});
    expect(await attached()).toBe(expected);
    expect((await stack.up(after, { refresh: true })).steps.every((step) => step.startsWith("same "))).toBe(true);
    expect(await attached()).toBe(expected);
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test.each(changes)("%s while something else fails is so after the next up", async (_, before, after, expected) => {
    const { rig, stack, attached } = await linked(before);
    failElsewhere(rig);
    expect(Object.keys((await stack.up({ ...after, box })).errors)).toEqual(["box"]);
    expect((await stack.up({ ...after, box })).errors).toEqual({});
    expect(await attached()).toBe(expected);
    rig.clock.advance(600);
    expect((await stack.up({ ...after, box }, { refresh: true })).errors).toEqual({});
    expect(await attached()).toBe(expected);
  });

  test.each([
    ["create before delete", false],
    ["killed in between", true],
  ])("replaced by force stays attached (%s)", async (_, killed) => {
    const program = { ...nodes, data: data(), one: link("a") };
    const { stack, attached } = await linked(program);
    await stack.up(program, { replace: ["one"], keep: killed });
    expect(await attached()).toBe("a");
    await stack.up(program);
    expect(await attached()).toBe("a");
    expect(stack.condemned).toEqual([]);
  });
});

describe("An attach that fails", () => {
  const before = { ...nodes, data: data(), old: link("a") };
  const renamed = { ...nodes, data: data(), renamed: link("a") };

  test("claims nothing that it did not attach: who had it detaches it, if the run goes on", async () => {
    const { rig, stack, attached } = await linked(before);
    rig.fault({ match: { method: "POST", path: paths.attach }, kind: "status", status: 401 });
    expect(Object.keys((await stack.up(renamed, { continueOnError: true })).errors)).toEqual(["renamed"]);
    expect(stack.state.has("old")).toBe(false);
    expect(await attached()).toBe("");
    expect((await stack.up(renamed)).errors).toEqual({});
    expect(await attached()).toBe("a");
  });

  test("and whose replies are lost keeps what it may have attached", async () => {
    const { rig, stack, attached } = await linked(before);
    rig.fault({ match: { method: "POST", path: paths.attach }, kind: "reset-after", times: 99 });
    await stack.up(renamed, { continueOnError: true });
    expect(stack.state.has("renamed")).toBe(true);
    expect(await attached()).toBe("a");
  });

  test("for one of its rentals keeps the other in the state, to be detached with it", async () => {
    const { rig, stack, attached } = await linked({ ...nodes, data: data() });
    const b = Number(stack.get("b").id);
    /** A service that attaches one after the other, and refuses this one. */
    const wire = intercepting(async ({ path, body }, send) => {
      if (path !== paths.attach) return send();
      const storageVolumeId = Number(body["storageVolumeId"]);
      await rig.client.attachStorageVolume({ storageVolumeId, rentalIds: [Number(stack.get("a").id)] });
      return answering(400, { message: `rental ${b} has no storage network` });
    });
    const provider = rig.startProvider({}, { wire });
    const both = { ...nodes, data: data(), one: link("a", "b") };
    const { errors } = await stack.up(both, { provider });
    expect(errors["one"]).toMatch(/400: rental \d+ has no storage network/);
    expect(await attached()).toBe("a");
    expect((await stack.up({ ...nodes, data: data() })).errors).toEqual({});
    expect(await attached()).toBe("");
  });
});

describe("What was detached by hand", () => {
  test.each([
    ["an attachment", { ...nodes, data: data(), one: link("a", "b") }, "one"],
    ["rentalIds", { ...nodes, data: data("a", "b") }, "data"],
  ])("from %s shows as drift at once, is told, and is attached again by up", async (_, program, name) => {
    const { rig, stack, attached } = await linked(program);
    const storageVolumeId = Number(stack.get("data").id);
    const [a, b] = [Number(stack.get("a").id), Number(stack.get("b").id)];
    for (const rentalIds of [[b], [a, b]]) {
      await rig.run(rig.client.detachStorageVolume({ storageVolumeId, rentalIds }));
      const { steps, errors, provider } = await stack.up(program, { refresh: true });
      expect(errors).toEqual({});
      expect(steps).toContain(`update ${name}`);
      expect(provider.shown.filter(({ kind }) => kind === "warning").map(({ text }) => text)).toEqual([
        "rentalIds differs from the program; `pulumi up` changes that",
      ]);
      expect(await attached()).toBe("ab");
    }
  });

  test("is no reason not to end what is left", async () => {
    const { rig, stack } = await linked({ ...nodes, data: data("b"), one: link("a") });
    const storageVolumeId = Number(stack.get("data").id);
    const rentalIds = [Number(stack.get("a").id), Number(stack.get("b").id)];
    await rig.run(rig.client.detachStorageVolume({ storageVolumeId, rentalIds }));
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });
});

test("A volume that another stack has attached elsewhere keeps those attachments", async () => {
  const { rig, stack, attached } = await linked({ ...nodes, data: data("a") });
  const [storageVolumeId, b] = [Number(stack.get("data").id), Number(stack.get("b").id)];
  const other = new FakeEngine(rig, { stack: "other" });
  await other.up({ theirs: { type: "VolumeAttachment", inputs: { storageVolumeId, rentalIds: [b] } } });
  expect((await stack.up({ ...nodes, data: data("a") }, { refresh: true })).steps).toContain("same data");
  await stack.up({ ...nodes, data: data("c") });
  expect(await attached()).toBe("bc");
});

/** Stacks that attach the volume of a third one to its rental. */
async function sharing(...stacks: string[]) {
  const { rig, stack, attached } = await linked({ ...nodes, data: data() });
  const pair = { storageVolumeId: Number(stack.get("data").id), rentalIds: [Number(stack.get("a").id)] };
  const others = stacks.map((name) => new FakeEngine(rig, { stack: name }));
  for (const other of others) await other.up({ link: { type: "VolumeAttachment", inputs: pair } });
  expect(await attached()).toBe("a");
  return { rig, stack, attached, others, pair };
}

test("A pair that another stack holds, too, stays attached until the last of them lets go of it", async () => {
  const { attached, others, pair } = await sharing("left", "right");
  const [left, right] = others;
  const destroyed = await left?.destroy();
  expect(destroyed?.errors).toEqual({});
  expect(destroyed?.provider.shown.filter(({ kind }) => kind === "info").map(({ text }) => text)).toEqual([
    `volume ${pair.storageVolumeId} stays attached to rental ${pair.rentalIds[0]}: VolumeAttachment "link" of stack "right" holds that, too`,
  ]);
  expect(await attached()).toBe("a");
  expect((await right?.destroy())?.errors).toEqual({});
  expect(await attached()).toBe("");
});

describe("Other stacks", () => {
  const theirs = (rig: Rig, outputs: Record<string, unknown>) => {
    const other = new FakeEngine(rig, { stack: "far" });
    other.state.set("theirs", { name: "theirs", type: "VolumeAttachment", id: "1:1001", inputs: {}, outputs });
  };

  test("of another service hold none of our pairs, whatever their ids", async () => {
    const { rig, stack, attached } = await linked({ ...nodes, data: data(), one: link("a") });
    const pair = { storageVolumeId: Number(stack.get("data").id), rentalIds: [Number(stack.get("a").id)] };
    theirs(rig, { ...pair, [whereKey]: { address: "https://far.example" } });
    await stack.up({ ...nodes, data: data() });
    expect(await attached()).toBe("");
  });

  test("are not asked about a pair of which this stack has both, and may fail to answer about another one", async () => {
    const { rig, stack, attached, others } = await sharing("left");
    let asked = 0;
    const elsewhere = jest.spyOn(FakeEngine.prototype, "entriesElsewhere").mockImplementation(() => {
      asked += 1;
      throw new Error("the backend cannot be read");
    });
    expect((await others[0]?.destroy())?.errors).toEqual({});
    expect([asked, await attached()]).toEqual([1, ""]);
    await stack.up({ ...nodes, data: data(), one: link("a") });
    expect((await stack.up({ ...nodes, data: data() })).errors).toEqual({});
    expect([asked, await attached()]).toEqual([1, ""]);
    elsewhere.mockRestore();
    expect(rig.count("POST", paths.detach)).toBe(2);
  });
});

describe("A pair that one list of a refresh lacks, because it is of before the attach,", () => {
  const stale = { match: { method: "GET", path: paths.volumes }, kind: "stale-list" as const, seconds: 60 };

  test.each<[string, Program, Program, string]>([
    [
      "of an attachment that changes",
      { ...nodes, data: data(), link: link("a") },
      { ...nodes, data: data(), link: link("b") },
      "b",
    ],
    ["of an attachment that goes", { ...nodes, data: data(), link: link("a") }, { ...nodes, data: data() }, ""],
    ["of a volume that changes", { ...nodes, data: data("a") }, { ...nodes, data: data("b") }, "b"],
    [
      "that another one is to have",
      { ...nodes, data: data(), link: link("a") },
      { ...nodes, data: data(), other: link("a") },
      "a",
    ],
  ])("is detached all the same when it is no longer wanted: %s", async (_, before, after, left) => {
    const { rig, stack, attached } = await linked(nodes);
    rig.clock.advance(600);
    expect((await stack.up({ ...nodes, data: data() })).errors).toEqual({});
    rig.clock.advance(600);
    expect((await stack.up(before)).errors).toEqual({});
    rig.clock.advance(5);
    rig.fault(stale);
    expect((await stack.up(after, { refresh: true })).errors).toEqual({});
    expect(await attached()).toBe(left);
    expect((await stack.up(after, { refresh: true })).errors).toEqual({});
    expect(await attached()).toBe(left);
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });
});
