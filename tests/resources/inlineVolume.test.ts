import type { Transport } from "../../provider/client";
import { FakeEngine } from "../lifecycle/fakeEngine";
import { createRig, paths, type Rig } from "../lifecycle/rig";
import { changingAnswer, changingList, type Item, sendingTwice } from "../lifecycle/wire";
import { byId, createStack, deletes, inline, list, post, shownAs, volumes } from "./inlineStack";

describe("A volume whose record cannot be read", () => {
  const unreadable = shownAs((item) => ({ ...item, attachedRentals: "many" }));
  const rentals = (rig: Rig) => rig.emulator.state().filter(({ kind, billing }) => kind === "bare-metal" && billing);

  test("is kept, which is said, and does not keep its rental from being ended", async () => {
    const { rig, stack, provider } = createStack();
    await stack.up(inline({ keepVolume: true }));
    const destroyed = await stack.destroy({ provider: provider(unreadable) });
    expect(destroyed.errors).toEqual({});
    expect(destroyed.provider.shown).toContainEqual(
      expect.objectContaining({ kind: "info", text: "keepVolume: storage volume 1 is kept" }),
    );
    expect(rentals(rig)).toEqual([]);
    expect(volumes(rig)).toEqual([1]);
  });

  test("stays in the state by name after its rental has ended, and goes when it can be read", async () => {
    const { rig, stack, provider } = createStack();
    await stack.up(inline());
    const { errors } = await stack.destroy({ provider: provider(unreadable) });
    expect(errors["train"]).toMatch(
      /rental 1001 has ended, but storage volume 1, created with it, could not be looked up and may still bill: .*attachedRentals "many" must be an array\. It stays in the state/,
    );
    expect(rentals(rig)).toEqual([]);
    expect(stack.state.size).toBe(1);
    expect((await stack.destroy()).errors).toEqual({});
    expect(volumes(rig)).toEqual([]);
  });
});

describe("A volume that its rental names by the id of its record", () => {
  const byRecord = (attached: unknown) =>
    Array.isArray(attached) ? attached.map((one) => ({ ...one, id: Number(one.id) + 700_001 })) : attached;
  const rental = ({ attachedStorage, meta, ...item }: Item) => ({
    ...item,
    attachedStorage: byRecord(attachedStorage),
    meta: { attached_storage: byRecord(Object(meta)["attached_storage"]) },
  });
  const created = changingAnswer("POST", paths.bareMetal, rental);
  const listed = changingList(paths.bareMetal, (items) => items.map(rental));

  test.each([
    ["from the start", (wire: Transport) => created(listed(wire)), undefined],
    ["as a state has it that was written before a list showed it", listed, "700002"],
  ] as const)("is ended with it, %s", async (_, wire, held) => {
    const rig = createRig({ emulator: { volumeIds: "separate" } });
    const stack = new FakeEngine(rig);
    const start = () => ({ provider: rig.startProvider({}, { wire }) });
    expect((await stack.up(inline(), start())).errors).toEqual({});
    const train = stack.get("train");
    if (held === undefined) expect(train.outputs["__volume"]).toMatchObject({ id: "1" });
    else stack.state.set("train", { ...train, outputs: { ...train.outputs, __volume: { before: [], id: held } } });
    rig.clock.advance(3600);
    const { errors, provider } = await stack.destroy(start());
    expect(errors).toEqual({});
    expect(provider.shown.map(({ text }) => text)).not.toContainEqual(expect.stringContaining("attached to nothing"));
    expect(rig.billing()).toEqual([]);
  });
});

describe("A volume that was made with a rental", () => {
  test("is told from the one of an earlier rental that has its label and is attached, too", async () => {
    const { rig, stack, provider } = createStack();
    await stack.up(inline({ keepVolume: true }));
    const [kept = 0] = volumes(rig);
    await stack.up(inline({ keepVolume: true, gpuCount: 16 }));
    const rentalIds = [Number(stack.get("train").id)];
    await rig.run(rig.client.attachStorageVolume({ storageVolumeId: kept, rentalIds }));
    await stack.up(inline({ keepVolume: false, gpuCount: 16 }), { refresh: true, provider: provider(byId) });
    expect((await stack.destroy({ provider: provider(byId) })).errors).toEqual({});
    expect(volumes(rig)).toEqual([kept]);
  });

  test.each([256, 512])(
    "is told from somebody else's of its label and %i GB that is attached, too",
    async (sizeInGb) => {
      const { rig, stack, provider } = createStack();
      const { storageVolumeId } = await rig.run(
        rig.client.createStorageVolume({ region: "us-central-1", sizeInGb, label: "train-data" }),
      );
      await stack.up(inline());
      const rentalIds = [Number(stack.get("train").id)];
      await rig.run(rig.client.attachStorageVolume({ storageVolumeId, rentalIds }));
      await stack.refresh(provider(byId));
      expect((await stack.destroy({ provider: provider(byId) })).errors).toEqual({});
      expect(volumes(rig)).toEqual([storageVolumeId]);
    },
  );

  test("is told from one of its label and size that came later", async () => {
    const { rig, stack, provider } = createStack();
    await stack.up(inline());
    const [own] = volumes(rig);
    const made = await rig.run(
      rig.client.createStorageVolume({ region: "us-central-1", sizeInGb: 512, label: "train-data" }),
    );
    const rentalIds = [Number(stack.get("train").id)];
    await rig.run(rig.client.attachStorageVolume({ storageVolumeId: made.storageVolumeId, rentalIds }));
    await stack.refresh(provider(byId));
    expect((await stack.destroy({ provider: provider(byId) })).errors).toEqual({});
    expect(volumes(rig)).toEqual([made.storageVolumeId]);
    expect(own).not.toBe(made.storageVolumeId);
  });

  test("does not outlive a rental that ended by itself before anyone looked", async () => {
    const { rig, stack, provider } = createStack();
    await stack.up(inline({ waitForReady: false }), { provider: provider() });
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    rig.clock.advance(600);
    await stack.refresh(provider());
    expect((await stack.destroy({ provider: provider() })).errors).toEqual({});
    expect({ volumes: volumes(rig), inState: stack.state.size }).toEqual({ volumes: [], inState: 0 });
  });

  test("does not outlive a destroy that came to its end only with the rental", async () => {
    const { rig, stack, provider } = createStack();
    await stack.up(inline({ waitForReady: false }), { provider: provider() });
    rig.clock.advance(3600);
    rig.fault({ match: deletes, kind: "status", status: 403, times: 3, body: { error: "not now" } });
    expect((await stack.destroy({ provider: provider() })).errors).toHaveProperty("train");
    rig.clock.advance(600);
    expect((await stack.destroy({ provider: provider() })).errors).toEqual({});
    expect({ volumes: volumes(rig), inState: stack.state.size }).toEqual({ volumes: [], inState: 0 });
  });

  test("does not outlive a destroy of a rental whose end was refused for good, once that is over", async () => {
    const { rig, stack } = createStack();
    await stack.up(inline());
    rig.fault({ match: deletes, times: 3, kind: "status", status: 404, body: { detail: "Not Found" } });
    expect((await stack.destroy()).errors["train"]).toMatch(/the service does not terminate it/);
    rig.clock.advance(600);
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("does not outlive a create whose reply was lost and that destroy ends", async () => {
    const { rig, stack } = createStack();
    rig.fault(
      { match: post, kind: "reset-after" },
      { match: list, nth: 2, times: 70, kind: "stale-list", seconds: 600 },
    );
    await stack.up(inline());
    expect(stack.get("train").id).toMatch(/^unresolved:/);
    rig.emulator.faults.clear();
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("of a create whose reply was lost is not mixed up with another of its label", async () => {
    const { rig, stack } = createStack();
    const { storageVolumeId } = await rig.run(
      rig.client.createStorageVolume({ region: "us-central-1", sizeInGb: 512, label: "train-data" }),
    );
    rig.fault({ match: post, kind: "reset-after" });
    expect((await stack.up(inline())).errors).toEqual({});
    expect((await stack.destroy()).errors).toEqual({});
    expect(volumes(rig)).toEqual([storageVolumeId]);
  });

  test("does not outlive the twin of a rental that a proxy has made by sending the create twice", async () => {
    const { rig, stack, provider } = createStack();
    const twice = provider(sendingTwice(paths.bareMetal));
    expect((await stack.up(inline(), { provider: twice })).errors).toEqual({});
    expect(volumes(rig)).toHaveLength(2);
    const destroyed = await stack.destroy();
    expect(destroyed.errors).toEqual({});
    // In case that the run is cut off between the two: no state has it.
    expect(destroyed.provider.shown.filter(({ text }) => text.endsWith(", and is deleted after it"))).toMatchObject([
      { text: expect.stringMatching(/^storage volume \d+ \(512 GB, \$\S+\/h\) was created with rental \d+, /) },
    ]);
    expect(rig.billing()).toEqual([]);
  });

  test("of the twin of a rental is named where it could not be deleted, and where nothing proves any more whose it is", async () => {
    const { rig, stack } = createStack();
    rig.fault({ match: post, kind: "twice" });
    await stack.up(inline());
    const own = Number(Object(stack.get("train").outputs["__volume"])["id"]);
    const [twin] = volumes(rig).filter((id) => id !== own);
    rig.fault({ match: deletes, kind: "status", status: 403, times: 3, body: { message: "not now" } });
    expect((await stack.destroy()).errors["train"]).toMatch(
      new RegExp(
        `storage volume ${twin} \\(512 GB, \\$\\S+/h\\), which was created with rental \\d+, is still there: .*POST .* 403: not now`,
      ),
    );
    const { errors, provider } = await stack.destroy();
    expect(errors).toEqual({});
    expect(volumes(rig)).toEqual([twin]);
    expect(provider.shown.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(
        new RegExp(
          `^storage volume ${twin} \\(512 GB, \\$\\S+/h\\) has the label of this rental's volume, was created at the same time, and is attached to nothing\\. Other rentals may have kept it on purpose \\(keepVolume\\)\\. If none has, the request was sent twice, and a second rental has left it behind: then delete it by hand, nothing else mentions it\\.$`,
        ),
      ),
    );
  });

  test("of the twin of a rental is named where lists round sizes up, too", async () => {
    const { rig, stack, provider } = createStack();
    const rounding = () => provider(shownAs((item) => ({ ...item, sizeInGb: 1024, sizeGb: 1024 })));
    rig.fault({ match: post, kind: "twice" });
    await stack.up(inline(), { provider: rounding() });
    rig.fault({ match: deletes, kind: "status", status: 403, times: 3, body: { message: "not now" } });
    await stack.destroy({ provider: rounding() });
    const [twin] = volumes(rig);
    const { provider: used } = await stack.destroy({ provider: rounding() });
    expect(used.shown.map(({ text }) => text)).toContainEqual(
      expect.stringContaining(`storage volume ${twin} (1024 GB, $0.0512/h) has the label of this rental's volume`),
    );
  });

  test("of another size is not said to be of the same request, although it has the label and no time of its creation", async () => {
    const { rig, stack } = createStack();
    const { label } = inline().train.inputs.storageVolume;
    await stack.up(inline());
    await rig.run(rig.client.createStorageVolume({ region: "us-central-1", label, sizeInGb: 1024 }));
    const timeless = changingList(paths.volumes, (items) => items.map((item) => ({ ...item, createdAt: "" })));
    const { errors, provider } = await stack.destroy({ provider: rig.startProvider({}, { wire: timeless }) });
    expect(errors).toEqual({});
    expect(volumes(rig)).toHaveLength(1);
    expect(provider.shown.filter(({ text }) => text.includes("has the label"))).toEqual([]);
  });

  test("does not outlive a rental that is ended for its price", async () => {
    const { rig, stack } = createStack();
    expect((await stack.up(inline({ maxCostPerHour: 1 }))).errors["train"]).toBe(
      'creating BareMetalRental "train": it costs $19.92/h, more than its maxCostPerHour of $1.00/h. It was terminated immediately.',
    );
    expect(rig.billing()).toEqual([]);
  });

  test("that another rental has kept on purpose is not said to be there for deletion", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const { train } = inline({ keepVolume: true });
    await stack.up({ "train-0": train, "train-1": train });
    await stack.up({ "train-0": train });
    const { errors, provider } = await stack.destroy();
    expect(errors).toEqual({});
    expect(volumes(rig)).toHaveLength(2);
    const warnings = provider.shown.filter(({ kind }) => kind === "warning").map(({ text }) => text);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^storage volume \d+ \(512 GB, \$\S+\/h\) has the label of this rental's volume, was created at the same time, and is attached to nothing\. Other rentals may have kept it on purpose \(keepVolume\)\. If none has, the request was sent twice, and a second rental has left it behind: nothing else mentions it\.$/,
      ),
    ]);
  });

  test.each([
    ["set", {}, { keepVolume: true }, true],
    ["removed", { keepVolume: true }, {}, false],
  ])("heeds keepVolume as it is %s in the very up that replaces its rental", async (_, before, after, stays) => {
    const { rig, stack } = createStack();
    await stack.up(inline(before));
    const [first = 0] = volumes(rig);
    expect((await stack.up(inline({ ...after, gpuCount: 16 }))).errors).toEqual({});
    expect(volumes(rig).includes(first)).toBe(stays);
  });

  test.each([
    ["set", {}, { keepVolume: true }, true],
    ["removed", { keepVolume: true }, {}, true],
    ["never set", {}, {}, false],
  ])(
    "heeds keepVolume as it was %s in an up that was broken off before it deleted the first rental",
    async (_, before, after, stays) => {
      const { rig, stack } = createStack();
      await stack.up(inline(before));
      const [first = 0] = volumes(rig);
      rig.fault({ match: { method: "POST", path: paths.endBareMetal }, kind: "status", status: 403, times: 99 });
      await stack.up(inline({ ...after, gpuCount: 16 }));
      expect(stack.condemned).toHaveLength(1);
      rig.emulator.faults.clear();
      const second = volumes(rig).find((id) => id !== first) ?? 0;
      const { errors, provider } = await stack.destroy();
      expect(errors).toEqual({});
      expect(volumes(rig).includes(first)).toBe(stays);
      expect(volumes(rig).includes(second)).toBe("keepVolume" in after);
      expect(provider.shown.filter(({ text }) => /^this deletes/.test(text))).toHaveLength(
        [first, second].filter((id) => !volumes(rig).includes(id)).length,
      );
    },
  );

  test("heeds keepVolume in a forced replacement", async () => {
    const { rig, stack } = createStack();
    await stack.up(inline());
    const [first = 0] = volumes(rig);
    await stack.up(inline({ keepVolume: true }), { replace: ["train"] });
    expect(volumes(rig)).toContain(first);
  });

  /** As the state has it in a run whose program has another name for it: with that of the export, and the outputs of before. */
  const rename = (stack: FakeEngine, from: string, to: string) => {
    const kept = stack.get(from);
    stack.state.delete(from);
    stack.state.set(to, { ...kept, name: to, urn: stack.urn("BareMetalRental", from) });
  };

  test.each([
    ["replaces it", { gpuCount: 16 }, []],
    ["replaces it by force", {}, ["next"]],
  ])("heeds keepVolume as it is set in the very up that renames its rental and %s", async (_, more, replace) => {
    const { rig, stack } = createStack();
    const { train } = inline();
    await stack.up({ train });
    const [first = 0] = volumes(rig);
    rename(stack, "train", "next");
    const outcome = await stack.up({ next: inline({ ...more, keepVolume: true }).train }, { replace });
    expect(outcome.errors).toEqual({});
    expect(volumes(rig)).toContain(first);
    expect(outcome.provider.shown.filter(({ text }) => text.startsWith("this deletes"))).toEqual([]);
  });

  test("heeds it also after a rename before that, of which only the inputs know", async () => {
    const { rig, stack } = createStack();
    const { train } = inline();
    await stack.up({ train });
    const [first = 0] = volumes(rig);
    rename(stack, "train", "next");
    await stack.up({ next: train });
    rename(stack, "next", "last");
    // Another rental may have the name by now, and says otherwise.
    const outcome = await stack.up({ last: inline({ keepVolume: true, gpuCount: 16 }).train, train });
    expect(outcome.errors).toEqual({});
    expect(volumes(rig)).toContain(first);
  });

  test("goes with a rental that leaves the program, whatever others that stay in it keep", async () => {
    const { rig, stack } = createStack();
    const { train: keeper } = inline({ keepVolume: true });
    const { train } = inline();
    await stack.up({ keeper });
    await stack.up({ keeper, train });
    expect((await stack.up({ keeper })).errors).toEqual({});
    expect(volumes(rig)).toHaveLength(1);
  });

  test("goes with a create that is undone, also with keepVolume: nothing is on it", async () => {
    const { rig, stack } = createStack();
    const { errors } = await stack.up(inline({ keepVolume: true, maxCostPerHour: 5 }));
    expect(errors["train"]).toMatch(/It was terminated immediately\.$/);
    expect(volumes(rig)).toEqual([]);
    expect(rig.billing()).toEqual([]);
  });

  test("stays when a destroy follows an up that set keepVolume", async () => {
    const { rig, stack } = createStack();
    await stack.up(inline());
    await stack.up(inline({ keepVolume: true }));
    await stack.destroy();
    expect(volumes(rig)).toHaveLength(1);
  });

  test("stays when the command is killed that ends its rental, and goes with the next destroy", async () => {
    const { rig, stack, provider } = createStack();
    await stack.up(inline());
    const orphaned = provider();
    const destroy = stack.destroy({ provider: orphaned });
    setImmediate(() => rig.clock.sleep(1000).then(() => (orphaned.engineLives = false)));
    expect((await destroy).errors["train"]).toMatch(/the Pulumi engine has ended; no further requests are sent/);
    expect(volumes(rig)).toHaveLength(1);
    expect((await stack.destroy()).errors).toEqual({});
    expect(volumes(rig)).toEqual([]);
  });

  test("of two rentals whose volumes have one label each ends with its own", async () => {
    const { rig, stack } = createStack();
    const { train } = inline();
    expect((await stack.up({ a: train, b: train })).errors).toEqual({});
    const before = volumes(rig);
    expect((await stack.up({ b: train })).errors).toEqual({});
    expect(volumes(rig)).toHaveLength(1);
    const [left = 0] = volumes(rig);
    expect(before).toContain(left);
    const [volume] = await rig.run(rig.client.listStorageVolumes());
    expect(volume).toMatchObject({ storageVolumeId: expect.anything(), attachedRentals: [Number(stack.get("b").id)] });
    await stack.destroy();
    expect(rig.billing()).toEqual([]);
  });

  test("of two rentals made at once, without a word on them in the answers, ends with its own", async () => {
    const { rig, stack, provider } = createStack();
    const { train } = inline({ waitForReady: false });
    await stack.up({ a: train, b: train }, { provider: provider() });
    await stack.up({ b: train }, { provider: provider() });
    const [volume] = (await rig.run(rig.client.listStorageVolumes())).filter(({ deletedAt }) => !deletedAt);
    expect(volume?.attachedRentals).toEqual([Number(stack.get("b").id)]);
    await stack.destroy({ provider: provider() });
    expect(rig.billing()).toEqual([]);
  });
});
