import { FakeEngine, type Program } from "../lifecycle/fakeEngine";
import { createRig, paths } from "../lifecycle/rig";
import { answering, changingList, intercepting, type Wire } from "../lifecycle/wire";

type Ids = Readonly<Record<string, string>>;
const node = { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } };
const data = { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } };
const program = (...names: string[]): Program => ({
  a: node,
  b: node,
  data,
  link: {
    type: "VolumeAttachment",
    inputs: (ids: Ids) => ({ storageVolumeId: Number(ids["data"]), rentalIds: names.map((name) => Number(ids[name])) }),
  },
});
const leavingOutEmpty = changingList(paths.volumes, (items) =>
  items.map(({ attachedRentals, ...item }) =>
    Array.isArray(attachedRentals) && attachedRentals.length > 0 ? { ...item, attachedRentals } : item,
  ),
);
const own: Program = {
  a: node,
  data: {
    ...data,
    inputs: (ids: Ids) => ({ ...data.inputs, rentalIds: [Number(ids["a"])] }),
  },
};

test.each<[string, Program]>([
  ["link", program("a")],
  ["data", own],
])(
  "(%s) A service that leaves out empty lists: what was detached by hand shows, and is attached again",
  async (name, all) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const start = () => ({ provider: rig.startProvider({}, { wire: leavingOutEmpty }) });
    expect((await stack.up(all, start())).errors).toEqual({});
    const [volume, rental] = [Number(stack.get("data").id), Number(stack.get("a").id)];
    for (const _ of [1, 2]) {
      await rig.run(rig.client.detachStorageVolume({ storageVolumeId: volume, rentalIds: [rental] }));
      const { errors, steps } = await stack.up(all, { ...start(), refresh: true });
      expect({ errors, steps }).toEqual({ errors: {}, steps: expect.arrayContaining([`update ${name}`]) });
      expect((await rig.run(rig.client.listStorageVolumes()))[0]?.attachedRentals).toEqual([rental]);
    }
  },
);

describe("An attachment of a service whose records do not say what a volume is attached to", () => {
  const silent = changingList(paths.volumes, (items) => items.map(({ attachedRentals: _, ...item }) => item));
  function unseen(wire: Wire = (transport) => transport) {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const start = (more = wire) => ({ provider: rig.startProvider({}, { wire: (to) => more(silent(to)) }) });
    const attachedTo = async () => (await rig.run(rig.client.listStorageVolumes()))[0]?.attachedRentals;
    const idOf = (name: string) => Number(stack.get(name).id);
    return { rig, stack, start, attachedTo, idOf };
  }

  test("is believed as it was answered, and ends so, and nothing drifts", async () => {
    const { rig, stack, start, attachedTo, idOf } = unseen();
    expect((await stack.up(program("a"), start())).errors).toEqual({});
    expect(stack.get("link").outputs).toMatchObject({ status: "attached", rentalIds: [idOf("a")] });
    const again = await stack.up(program("a"), { ...start(), refresh: true });
    expect(again).toMatchObject({ errors: {}, steps: again.steps.map(() => expect.stringMatching(/^same /)) });
    expect((await stack.up(program("b"), start())).errors).toEqual({});
    expect(await attachedTo()).toEqual([idOf("b")]);
    expect({ attach: rig.count("POST", paths.attach), detach: rig.count("POST", paths.detach) }).toEqual({
      attach: 2,
      detach: 1,
    });
    const { link: _, ...without } = program();
    const begun = rig.clock.now();
    expect((await stack.up(without, start())).errors).toEqual({});
    expect(await attachedTo()).toEqual([]);
    expect((await stack.destroy(start())).errors).toEqual({});
    expect(rig.clock.now() - begun).toBeLessThan(60_000);
    expect(rig.billing()).toEqual([]);
  });

  /** Answers every request of this path so, once it was carried out. */
  const answersTo = (path: string, status: number, error: string) =>
    intercepting((sent, send) => (sent.path === path ? send().then(() => answering(status, { error })) : undefined));

  test.each([
    [paths.attach, "volume is already attached", undefined],
    [paths.attach, "volume is busy", /volume is busy/],
    [paths.detach, "volume is not attached to rental 1001", undefined],
    [paths.detach, "rental 1001 not found", undefined],
    [paths.detach, "volume is busy", /volume is busy\. It stays in the state/],
  ])("is what a refusal says (%s: %s)", async (path, error, expected) => {
    const { rig, stack, start, idOf } = unseen(answersTo(path, 409, error));
    const { link: _, ...without } = program();
    await stack.up(without, start());
    const begun = rig.clock.now();
    const up = await stack.up(program("a"), start());
    const down = await stack.up(without, start());
    const told = path === paths.attach ? up : down;
    expect(told.errors["link"] ?? "").toMatch(expected ?? /^$/);
    expect(rig.clock.now() - begun).toBeLessThan(60_000);
    expect(idOf("a")).toBe(1001);
  });

  test("is in doubt when no reply arrives, also after a refresh, and is attached by the next up", async () => {
    const { rig, stack, start, attachedTo, idOf } = unseen();
    const lost = intercepting(({ path }) => (path === paths.attach ? answering(502, "bad gateway") : undefined));
    expect((await stack.up(program("a"), start(lost))).errors["link"]).toMatch(/502/);
    await stack.refresh(start().provider);
    expect(stack.get("link").outputs["status"]).toBe("unknown");
    expect((await stack.up(program("a"), { ...start(), refresh: true })).errors).toEqual({});
    expect(await attachedTo()).toEqual([idOf("a")]);
    expect((await stack.destroy(start())).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });
});
