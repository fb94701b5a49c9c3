import type { Transport } from "../../provider/client";
import { FakeEngine } from "../lifecycle/fakeEngine";
import { createRig, type ProviderProcess, paths } from "../lifecycle/rig";
import { changingList, type Item, leavingOut, type Wire } from "../lifecycle/wire";
import { createStack, inline, neverMade, shownAs, volumes, withoutMeta } from "./inlineStack";

const warnings = ({ shown }: ProviderProcess) => shown.filter(({ kind }) => kind === "warning").map(({ text }) => text);
const said = "this deletes its storage volume with 512 GB of data";
const settled =
  "If it was, delete it by hand and run this again. If it was not, remove this resource with `pulumi state delete`.";

describe("Without a record that shows them attached, nothing is taken for the volume of a rental:", () => {
  /** The rental with a volume of the user's own, which is attached to it. */
  const withData = (label: string) => ({
    ...inline(),
    data: {
      type: "StorageVolume",
      inputs: (ids: Readonly<Record<string, string>>) => ({
        region: "us-central-1",
        sizeInGb: 512,
        label,
        rentalIds: [Number(ids["train"])],
      }),
    },
  });

  test.each(["users-data", "train-data"])(
    "not the user's own of its size and the label %s, where the service never made one",
    async (label) => {
      const { rig, stack, provider } = createStack();
      expect((await stack.up(withData(label), { provider: provider(neverMade) })).errors).toEqual({});
      await stack.refresh();
      const { data } = withData(label);
      const kept = { ...data, inputs: { region: "us-central-1", sizeInGb: 512, label } };
      const { errors } = await stack.up({ data: kept });
      expect({ errors, inState: [...stack.state.keys()] }).toEqual({ errors: {}, inState: ["data"] });
      expect(volumes(rig)).toEqual([Number(stack.get("data").id)]);
    },
  );

  test("not the user's own while the true one is not listed yet; that one is known from the next refresh on", async () => {
    const { rig, stack, provider } = createStack();
    const late = leavingOut(paths.volumes, ({ label }) => label === "train-data");
    const unsaid = (transport: Transport) => withoutMeta(unattached(late(transport)));
    await stack.up(withData("users-data"), { provider: provider(unsaid) });
    expect(stack.get("train").outputs["__volume"]).toEqual({ before: [] });
    await stack.refresh(provider(unsaid));
    expect(stack.get("train").outputs["__volume"]).toEqual({ before: [] });
    await stack.refresh();
    expect(stack.get("train").outputs["__volume"]).toMatchObject({ before: [], id: "1", sizeInGb: 512 });
    const { data } = withData("users-data");
    const kept = { ...data, inputs: { region: "us-central-1", sizeInGb: 512, label: "users-data" } };
    expect((await stack.up({ data: kept })).errors).toEqual({});
    expect(volumes(rig)).toEqual([2]);
  });

  test("not a neighbour's of its label and size that came at the same time: it is named, and the rental ends", async () => {
    const { rig, stack, provider } = createStack();
    await stack.up(inline(), { provider: provider(neverMade) });
    const request = { region: "us-central-1" as const, sizeInGb: 512, label: "train-data" };
    const { storageVolumeId } = await rig.run(rig.client.createStorageVolume(request));
    const { errors } = await stack.destroy();
    expect(errors["train"]).toBe(
      `deleting BareMetalRental "train": whether storage volume ${storageVolumeId} (512 GB, $0.0512/h) was created with rental 1001 is not known, so it is not deleted. ${settled}`,
    );
    rig.clock.advance(60);
    expect(rig.billing()).toEqual([storageVolumeId]);
    await rig.run(rig.client.deleteStorageVolume({ storageVolumeId }));
    rig.clock.advance(60);
    expect((await stack.destroy()).errors).toEqual({});
  });

  test("none of several: they are named, also by a refresh after the rental has ended", async () => {
    const { rig, stack, provider } = createStack();
    await stack.up(inline(), { provider: provider(neverMade) });
    const request = { region: "us-central-1" as const, sizeInGb: 512, label: "train-data" };
    await rig.run(rig.client.createStorageVolume(request));
    await rig.run(rig.client.createStorageVolume(request));
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    rig.clock.advance(600);
    expect((await stack.refresh()).errors["train"]).toBe(
      'reading BareMetalRental "train": which of the storage volumes 1 (512 GB, $0.0512/h), 2 (512 GB, $0.0512/h) was created with rental 1001 is not known, so none of them is deleted. Delete the right one by hand, then remove this resource with `pulumi state delete`.',
    );
    expect(volumes(rig)).toEqual([1, 2]);
  });

  test("nothing where the service never made one: destroy has nothing else to do", async () => {
    const { rig, stack, provider } = createStack();
    expect((await stack.up(inline(), { provider: provider(neverMade) })).errors).toEqual({});
    expect((await stack.destroy()).errors).toEqual({});
    expect({ billing: rig.billing(), inState: stack.state.size }).toEqual({ billing: [], inState: 0 });
  });

  test("not that of another rental, to which a resource of its own has attached it", async () => {
    const { rig, stack, provider } = createStack();
    const { train } = inline();
    await stack.up({ a: train });
    await stack.up({ a: train, b: train }, { provider: provider(neverMade) });
    const rentalIds = [Number(stack.get("b").id)];
    await rig.run(rig.client.attachStorageVolume({ storageVolumeId: 1, rentalIds }));
    await stack.refresh();
    expect((await stack.up({ a: train })).errors).toEqual({});
    expect(volumes(rig)).toEqual([1]);
  });

  test("with keepVolume what may be it is said, and that is all", async () => {
    const { rig, stack, provider } = createStack();
    await stack.up(inline({ keepVolume: true }), { provider: provider(neverMade) });
    const request = { region: "us-central-1" as const, sizeInGb: 512, label: "train-data" };
    await rig.run(rig.client.createStorageVolume(request));
    const { errors, provider: used } = await stack.destroy();
    expect(errors).toEqual({});
    expect(used.shown.filter(({ kind }) => kind === "info").map(({ text }) => text)).toEqual([
      "keepVolume: storage volume 1 (512 GB, $0.0512/h) may have been created with it",
    ]);
  });
});

/** A service whose records of rentals do not show what is attached to them. */
const unattached = changingList(paths.bareMetal, (items) =>
  items.map(({ attachedStorage: _, meta: __, ...item }: Item) => item),
);

describe("The id of a volume that was made with a rental is not trusted for ever:", () => {
  test("but it is named where nothing else speaks for it, and nothing against it", async () => {
    const { stack, provider } = createStack();
    const unlisted = leavingOut(paths.volumes, () => true);
    await stack.up(inline(), { provider: provider(unlisted) });
    expect(stack.get("train").outputs["__volume"]).toMatchObject({ id: "1" });
    // Without a label, without what it is attached to, and rounded up.
    const bare = shownAs(({ label: _, attachedRentals: __, ...item }: Item) => ({
      ...item,
      sizeInGb: 550,
      sizeGb: 550,
    }));
    const wire: Wire = (transport) => unattached(bare(transport));
    const { errors } = await stack.destroy({ provider: provider(wire) });
    expect(errors["train"]).toContain("whether storage volume 1 (550 GB");
    expect(stack.state.has("train")).toBe(true);
  });

  test.each([
    ["label", { label: "prod-data" }, "its label differs"],
    ["label and size", { label: "prod-data", sizeInGb: 4096, sizeGb: 4096 }, "its label differs"],
    ["size (smaller)", { sizeInGb: 256, sizeGb: 256 }, "its size differs"],
    ["size (larger, without a time)", { sizeInGb: 4096, sizeGb: 4096, createdAt: "" }, "its size differs"],
    ["size and time", { sizeInGb: 4096, sizeGb: 4096, createdAt: "2026-09-12T13:00:00Z" }, "its size differs"],
    ["account", { userId: "somebody-else" }, "it is in another account"],
  ])("what has it now with another %s is left alone", async (_, changes, why) => {
    const { rig, stack, provider } = createStack();
    await stack.up(inline());
    const reused = provider(shownAs((item) => ({ ...item, ...changes })));
    const { errors } = await stack.destroy({ provider: reused });
    const { sizeInGb } = { sizeInGb: 512, ...changes };
    expect({ errors, warnings: warnings(reused) }).toEqual({
      errors: {},
      warnings: [
        said,
        `storage volume 1 (${sizeInGb} GB, $0.0512/h) has the id of the one that was created with rental 1001, but ${why}: it is left alone`,
      ],
    });
    expect(volumes(rig)).toEqual([1]);
  });

  test("a larger one that another rental had when it was created is left alone", async () => {
    const { rig, stack, provider } = createStack();
    const shown = (attachedRentals: number[]) =>
      provider(shownAs((item) => ({ ...item, sizeInGb: 4096, sizeGb: 4096, attachedRentals })));
    await stack.up(inline(), { provider: shown([999]) });
    expect((await stack.destroy({ provider: shown([]) })).errors["train"]).toContain(
      "is not known, so it is not deleted",
    );
    expect(volumes(rig)).toEqual([1]);
  });

  test("nor after its rental has ended by itself", async () => {
    const { rig, stack, provider } = createStack();
    await stack.up(inline());
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    rig.clock.advance(600);
    const reused = shownAs((item) => ({ ...item, label: "prod-data" }));
    const outcome = await stack.up(inline(), { refresh: true, provider: provider(reused) });
    expect(outcome.errors).toEqual({});
    expect(volumes(rig)).toContain(1);
  });

  test("what a resource of its own has adopted is that resource's", async () => {
    const { rig, stack } = createStack();
    await stack.up(inline());
    const inputs = { region: "us-central-1", sizeInGb: 512, label: "train-data", adoptId: 1 };
    expect((await stack.up({ ...inline(), data: { type: "StorageVolume", inputs } })).errors).toEqual({});
    const { errors, provider: used } = await stack.up({ data: { type: "StorageVolume", inputs } });
    expect({ errors, volumes: volumes(rig) }).toEqual({ errors: {}, volumes: [1] });
    expect(warnings(used)).toContain(
      "storage volume 1 (512 GB, $0.0512/h) has the id of the one that was created with rental 1001, but another resource has it: it is left alone",
    );
  });

  test("what another stack of the backend has adopted is that stack's", async () => {
    const { rig, stack } = createStack();
    await stack.up(inline());
    const inputs = { region: "us-central-1", sizeInGb: 512, label: "train-data", adoptId: 1 };
    expect((await stack.up({ ...inline(), data: { type: "StorageVolume", inputs } })).errors).toEqual({});
    stack.move("data", new FakeEngine(rig, { stack: "storage" }));
    expect((await stack.destroy()).errors).toEqual({});
    expect({ billing: rig.billing(), volumes: volumes(rig) }).toEqual({ billing: [1], volumes: [1] });
  });

  /** A neighbour's volume of the same label has the id, and no list has shown ours in the create. */
  async function givenToANeighbour(again: (stack: FakeEngine) => Promise<unknown>) {
    const { rig, stack, provider } = createStack();
    await stack.up(inline(), { provider: provider(leavingOut(paths.volumes, () => true)) });
    await again(stack);
    await rig.run(rig.client.detachStorageVolume({ storageVolumeId: 1, rentalIds: [1001] }));
    await rig.run(rig.client.deleteStorageVolume({ storageVolumeId: 1 }));
    rig.clock.advance(600);
    rig.emulator.reuseId("storage-volume", 1, "train-data");
    return { rig, stack, provider };
  }

  test("what was created at another time is left alone, as soon as a list has shown when ours was", async () => {
    const { rig, stack } = await givenToANeighbour((one) => one.up(inline(), { refresh: true }));
    const { errors, provider: used } = await stack.destroy();
    expect({ errors, volumes: volumes(rig) }).toEqual({ errors: {}, volumes: [1] });
    expect(warnings(used).join()).toContain("but it was created at another time: it is left alone");
  });

  test("what was not created with its rental is named, where no list has shown when ours was", async () => {
    const { rig, stack } = await givenToANeighbour(async () => undefined);
    const { errors } = await stack.destroy();
    expect(errors["train"]).toContain("whether storage volume 1 (512 GB, $0.0512/h) was created with rental 1001");
    expect(volumes(rig)).toEqual([1]);
  });

  test("what is attached to other rentals only is left alone, where no list has shown when ours was", async () => {
    const { stack, provider } = createStack();
    await stack.up(inline(), { provider: provider(leavingOut(paths.volumes, () => true)) });
    const atAnother = shownAs((item) => ({ ...item, attachedRentals: [999] }));
    const used = provider((transport) => unattached(atAnother(transport)));
    expect((await stack.destroy({ provider: used })).errors).toEqual({});
    expect(warnings(used).join()).toContain("it is attached to other rentals, and no list has shown when ours was");
  });

  test("one that lists leave out for a moment is not forgotten when its rental has ended by itself", async () => {
    const { rig, stack, provider } = createStack();
    await stack.up(inline());
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    rig.clock.advance(600);
    await stack.refresh(provider(leavingOut(paths.volumes, () => true, 3)));
    expect((await stack.destroy()).errors).toEqual({});
    expect({ volumes: volumes(rig), inState: stack.state.size }).toEqual({ volumes: [], inState: 0 });
  });
});

describe("A volume that was made with a rental of another stack", () => {
  test("cannot be adopted", async () => {
    const rig = createRig();
    await new FakeEngine(rig, { stack: "prod" }).up(inline());
    const inputs = { adoptId: 1, label: "train-data", region: "us-central-1", sizeInGb: 512 };
    const { errors } = await new FakeEngine(rig).up({ data: { type: "StorageVolume", inputs } });
    expect(errors["data"]).toMatch(
      /cannot be adopted: it is already managed, by urn:pulumi:prod::\S+::train, with which it was created\. `pulumi state delete` there releases both without touching either\./,
    );
  });

  test("can be adopted once that rental has ended and has kept it", async () => {
    const rig = createRig();
    const prod = new FakeEngine(rig, { stack: "prod" });
    await prod.up(inline({ keepVolume: true }));
    await prod.destroy();
    const inputs = { adoptId: 1, label: "train-data", region: "us-central-1", sizeInGb: 512 };
    const { errors } = await new FakeEngine(rig).up({ data: { type: "StorageVolume", inputs } });
    expect(errors).toEqual({});
  });

  test("is not deleted with a rental of this one that it was attached to", async () => {
    const rig = createRig();
    const [stack, prod] = [new FakeEngine(rig), new FakeEngine(rig, { stack: "prod" })];
    await stack.up(inline(), { provider: rig.startProvider({}, { wire: neverMade }) });
    await prod.up(inline());
    const idOf = (one: FakeEngine) => Number(one.get("train").id);
    await rig.run(rig.client.attachStorageVolume({ storageVolumeId: 1, rentalIds: [idOf(stack)] }));
    await rig.run(rig.client.detachStorageVolume({ storageVolumeId: 1, rentalIds: [idOf(prod)] }));
    await stack.destroy();
    expect(volumes(rig)).toEqual([1]);
  });

  test("is deleted with that rental although another stack has the rental, too", async () => {
    const rig = createRig();
    const [stack, copy] = [new FakeEngine(rig), new FakeEngine(rig, { stack: "copy" })];
    await stack.up(inline());
    copy.state.set("train", stack.get("train"));
    await stack.destroy();
    expect(volumes(rig)).toEqual([]);
  });
});

describe("A service that rewrites labels", () => {
  test.each([
    ["in other letters", (label: string) => label.toUpperCase().replaceAll("-", "_")],
    ["cut", (label: string) => label.slice(0, 7)],
    ["with something before it", (label: string) => `acct-${label}`],
  ])("and shows that of the volume %s does not keep it from being ended with its rental", async (_, rewrite) => {
    const { rig, stack, provider } = createStack();
    const rewriting = (transport: Transport) =>
      withoutMeta(shownAs((item) => ({ ...item, label: rewrite(String(item["label"])) }))(transport));
    await stack.up(inline(), { provider: provider(rewriting) });
    expect((await stack.destroy({ provider: provider(rewriting) })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("to something else: it is not known, and what is left is the user's to see", async () => {
    const { rig, stack, provider } = createStack();
    const rewriting = (transport: Transport) => withoutMeta(shownAs((item) => ({ ...item, label: "" }))(transport));
    await stack.up(inline(), { provider: provider(rewriting) });
    const { errors } = await stack.destroy({ provider: provider(rewriting) });
    expect(errors["train"]).toMatch(
      /^deleting BareMetalRental "train": whether storage volume 1 \(512 GB, \$0\.0512\/h\)/,
    );
    expect(volumes(rig)).toEqual([1]);
  });
});

describe("A service that rounds sizes up", () => {
  const rounding = shownAs((item) => ({ ...item, sizeInGb: 1024, sizeGb: 1024 }));
  const none = changingList(paths.volumes, () => []);

  test.each<[string, Wire]>([
    ["in lists and answers", (transport) => withoutMeta(rounding(transport))],
    ["in lists alone", rounding],
    ["in lists that come late", none],
    ["from some day on", (transport) => transport],
  ])("%s, does not keep a volume from being ended with its rental", async (_, during) => {
    const { rig, stack, provider } = createStack();
    await stack.up(inline(), { provider: provider(during) });
    expect((await stack.destroy({ provider: provider(rounding) })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });
});
