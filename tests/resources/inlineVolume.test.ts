import type { Transport } from "../../provider/client";
import { FakeEngine } from "../lifecycle/fakeEngine";
import { createRig, type ProviderProcess, paths, type Rig } from "../lifecycle/rig";
import { changingAnswer, changingList, type Item, intercepting, leavingOut, type Wire } from "../lifecycle/wire";

const inline = (more: object = {}) => ({
  train: {
    type: "BareMetalRental",
    inputs: {
      networkType: "infiniband",
      gpuCount: 8,
      storageVolume: { isNew: true, label: "train-data", sizeInGb: 512 },
      ...more,
    },
  },
});
const post = { method: "POST", path: paths.bareMetal };
const list = { method: "GET", path: paths.bareMetal };
const deletes = { method: "POST", path: paths.deleteVolume };

/** Ids of the volumes that bill. */
function volumes(rig: Rig): number[] {
  const billing = rig.emulator.state().filter(({ kind, billing }) => kind === "storage-volume" && billing);
  return billing.map(({ id }) => Number(id));
}

/** The order in which the service lists attached volumes is its own: here by id. */
const byId = changingList(paths.bareMetal, (items) =>
  items.map((item) => {
    const attached = item["attachedStorage"];
    return { ...item, attachedStorage: Array.isArray(attached) ? [...attached].sort((a, b) => a.id - b.id) : attached };
  }),
);
/** `meta` of the answer to a create is optional. */
const withoutMeta = changingAnswer("POST", paths.bareMetal, ({ meta: _, ...rental }: Item) => rental);

/** A service that forgets to make the volume, or that had no room for it. */
const neverMade: Wire = (transport) => (request) => {
  if (request.method !== "POST" || new URL(request.url).pathname !== paths.bareMetal) return transport(request);
  const { storageVolume: _, ...asked } = JSON.parse(request.body ?? "{}");
  return transport({ ...request, body: JSON.stringify(asked) });
};

/** Volumes as somebody has changed them meanwhile, or as the service shows them. */
const shownAs = (change: (item: Item) => Item) => changingList(paths.volumes, (items) => items.map(change));

function createStack() {
  const rig = createRig();
  return { rig, stack: new FakeEngine(rig), provider: (wire: Wire = withoutMeta) => rig.startProvider({}, { wire }) };
}

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
    rig.fault({ match: deletes, kind: "status", status: 403, body: { error: "not now" } });
    expect((await stack.destroy({ provider: provider() })).errors).toHaveProperty("train");
    rig.clock.advance(600);
    expect((await stack.destroy({ provider: provider() })).errors).toEqual({});
    expect({ volumes: volumes(rig), inState: stack.state.size }).toEqual({ volumes: [], inState: 0 });
  });

  test("does not outlive a destroy of a rental whose end was refused for good, once that is over", async () => {
    const { rig, stack } = createStack();
    await stack.up(inline());
    rig.fault({ match: deletes, times: 3, kind: "status", status: 404, body: { detail: "Not Found" } });
    expect((await stack.destroy()).errors["train"]).toMatch(/the service does not end it/);
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
    let isFirst = true;
    const twice = intercepting(({ method, path }, send) => {
      if (method !== "POST" || path !== paths.bareMetal || !isFirst) return undefined;
      isFirst = false;
      return send().then(send);
    });
    expect((await stack.up(inline(), { provider: provider(twice) })).errors).toEqual({});
    expect(volumes(rig)).toHaveLength(2);
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("of the twin of a rental is named where it could not be deleted, and where nothing proves any more whose it is", async () => {
    const { rig, stack } = createStack();
    rig.fault({ match: post, kind: "twice" });
    await stack.up(inline());
    const own = Number(Object(stack.get("train").outputs["__volume"])["id"]);
    const [twin] = volumes(rig).filter((id) => id !== own);
    rig.fault({ match: deletes, kind: "status", status: 403, body: { message: "not now" } });
    expect((await stack.destroy()).errors["train"]).toMatch(
      new RegExp(
        `storage volume ${twin} \\(512 GB, \\$\\S+/h\\), which was created with rental \\d+, is still there: POST .* 403: not now`,
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

  test("heeds keepVolume in a forced replacement", async () => {
    const { rig, stack } = createStack();
    await stack.up(inline());
    const [first = 0] = volumes(rig);
    await stack.up(inline({ keepVolume: true }), { replace: ["train"] });
    expect(volumes(rig)).toContain(first);
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
    expect(stack.get("train").outputs["__volume"]).toEqual({ before: [], id: "1", sizeInGb: 512 });
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
  test.each([
    ["label", { label: "prod-data" }, "its label differs"],
    ["label and size", { label: "prod-data", sizeInGb: 4096, sizeGb: 4096 }, "its label differs"],
    ["size", { sizeInGb: 4096, sizeGb: 4096 }, "its size differs"],
    ["account", { userId: "somebody-else" }, "it is in another account"],
  ])("what has it now with another %s is left alone", async (_, changes, why) => {
    const { rig, stack, provider } = createStack();
    await stack.up(inline());
    const reused = provider(shownAs((item) => ({ ...item, ...changes })));
    const { errors } = await stack.destroy({ provider: reused });
    const size = "sizeInGb" in changes ? "4096 GB" : "512 GB";
    expect({ errors, warnings: warnings(reused) }).toEqual({
      errors: {},
      warnings: [
        said,
        `storage volume 1 (${size}, $0.0512/h) has the id of the one that was created with rental 1001, but ${why}: it is left alone`,
      ],
    });
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
      "storage volume 1 (512 GB, $0.0512/h) has the id of the one that was created with rental 1001, but another resource of this stack has it: it is left alone",
    );
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

  test("a size that the service rounds up is its own", async () => {
    const { rig, stack, provider } = createStack();
    const rounding = (transport: Transport) =>
      withoutMeta(shownAs((item) => ({ ...item, sizeInGb: 1024, sizeGb: 1024 }))(transport));
    await stack.up(inline(), { provider: provider(rounding) });
    expect((await stack.destroy({ provider: provider(rounding) })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });
});
