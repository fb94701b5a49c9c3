import { FakeEngine } from "../fakeEngine";
import { baseUrl, createRig, paths, type Rig, type Surroundings } from "../rig";
import { changingList, type Item, live } from "../wire";
import { account, bargain, box, data, everything, link, running, train } from "./placedStack";

/** The same, where the first lists hold nothing. */
function lateAccount(path: string, theirs: Item, leftOut: number) {
  let lists = 0;
  const change = (items: Item[]) => {
    lists += 1;
    return lists > leftOut ? items.map((item) => ({ ...item, ...theirs })) : [];
  };
  return { wire: changingList(path, change), service: { key: "other" } };
}

describe("The key of another account", () => {
  const kinds = [
    ["bare-metal rental", train, paths.bareMetal, { userId: "somebody", orgId: null }],
    ["virtual machine", box, paths.vm, { userId: "somebody", orgId: null }],
    ["storage volume", data, paths.volumes, { userId: "somebody", orgId: null }],
    ["bare-metal rental with another label", train, paths.bareMetal, { label: "theirs" }],
    ["virtual machine with another label", box, paths.vm, { label: "theirs" }],
    ["storage volume with another label", data, paths.volumes, { label: "theirs" }],
    [
      "marketplace instance on another node",
      bargain,
      paths.instances,
      { instance: { status: "running", node_name: "elsewhere" } },
    ],
  ] as const;

  test.each(kinds)("never has a machine of the same id (%s) read, changed or ended", async (_, it, path, theirs) => {
    const { rig, stack, before } = await running({ it });
    const provider = () =>
      rig.startProvider(
        {},
        account(path, (item) => ({ ...item, ...theirs })),
      );
    const changed = { ...it, inputs: { ...it.inputs, timeouts: { delete: "1h" } } };
    for (const outcome of [
      await stack.refresh(provider()),
      await stack.up({ it }, { refresh: true, provider: provider() }),
      await stack.up({ it: changed }, { provider: provider() }),
      await stack.destroy({ provider: provider() }),
    ]) {
      expect(outcome.errors["it"]).toMatch(/somebody else's/);
      expect(outcome.steps).toEqual([]);
    }
    expect([...stack.state].map(([name, { id }]) => [name, id])).toEqual(before.map(([name, { id }]) => [name, id]));
    expect(live(rig)).toHaveLength(1);
  });

  test.each(kinds)("never has a machine of the same id (%s) ended that its first lists leave out", async (...kind) => {
    const [, it, path, theirs] = kind;
    const { rig, stack } = await running({ it });
    for (const leftOut of [1, 2, 4]) {
      const { errors } = await stack.destroy({ provider: rig.startProvider({}, lateAccount(path, theirs, leftOut)) });
      expect(errors["it"]).toMatch(/somebody else's/);
    }
    expect(live(rig)).toHaveLength(1);
    expect((await stack.destroy()).errors).toEqual({});
    expect(live(rig)).toEqual([]);
  });

  test("with a volume of the same id that its first list leaves out has nothing attached or detached", async () => {
    const { rig, stack } = await running({ train, data, link });
    const attached = async () => (await rig.run(rig.client.listStorageVolumes()))[0]?.attachedRentals;
    const theirs = lateAccount(paths.volumes, { userId: "somebody", orgId: null }, 1);
    const { errors } = await stack.up({ train, data }, { provider: rig.startProvider({}, theirs) });
    expect(errors["link"]).toMatch(/somebody else's/);
    expect(await attached()).toEqual([Number(stack.get("train").id)]);
  });

  test("is not used where there is no list that would show whose it is, until a person says that it is gone", async () => {
    const rig = createRig({ emulator: { dialect: "none" } });
    const stack = new FakeEngine(rig);
    expect((await stack.up({ box })).errors).toEqual({});
    const surroundings = { service: { key: "other" } };
    const { errors } = await stack.destroy({ provider: rig.startProvider({}, surroundings) });
    expect(errors["box"]).toMatch(
      /^deleting VmRental "box": the API key is not the one with which virtual-machine rental/,
    );
    expect(live(rig)).toHaveLength(1);
    const confirmed = rig.startProvider({ confirmGone: true }, surroundings);
    expect((await stack.destroy({ provider: confirmed })).errors).toEqual({});
    expect(live(rig)).toHaveLength(1);
  });

  test("with a volume of the same id has nothing attached to it or detached from it", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const both = {
      ...link,
      inputs: (ids: Readonly<Record<string, string>>) => ({
        storageVolumeId: Number(ids["data"]),
        rentalIds: [Number(ids["train"]), Number(ids["second"])],
      }),
    };
    const machines = { train, second: train, data };
    await stack.up({ ...machines, link });
    const attached = async () => (await rig.run(rig.client.listStorageVolumes()))[0]?.attachedRentals;
    const theirs = account(paths.volumes, (item) => ({ ...item, userId: "somebody", orgId: null }));
    const provider = () => rig.startProvider({}, theirs);
    expect((await stack.up({ ...machines, link: both }, { provider: provider() })).errors["link"]).toBe(
      'updating VolumeAttachment "link": the API key belongs to another account: storage volume 1 is there, too, but it is ' +
        "somebody else's. Use the key of the account that rented it. Nothing was changed.",
    );
    expect((await stack.up(machines, { provider: provider() })).errors["link"]).toMatch(/somebody else's/);
    expect(await attached()).toEqual([Number(stack.get("train").id)]);
  });

  test("is told in full, by the account or by the label", async () => {
    const { rig, stack } = await running({ train });
    const label = stack.get("train").outputs["label"];
    const another = await stack.destroy({
      provider: rig.startProvider(
        {},
        account(paths.bareMetal, (item) => ({ ...item, userId: "somebody", orgId: null })),
      ),
    });
    expect(another.errors["train"]).toBe(
      'deleting BareMetalRental "train": the API key belongs to another account: bare-metal rental 1001 is there, too, but ' +
        "it is somebody else's. Use the key of the account that rented it. Nothing was changed.",
    );
    const labelled = await stack.refresh(
      rig.startProvider(
        {},
        account(paths.bareMetal, (item) => ({ ...item, label: "theirs" })),
      ),
    );
    expect(labelled.errors["train"]).toBe(
      `reading BareMetalRental "train": bare-metal rental 1001 is labelled "theirs" there, and this resource's is "${label}": ` +
        "it is somebody else's. Check that address and API key are those with which it was created. Nothing was changed.",
    );
  });

  test.each([
    ["none of its own", () => []],
    [
      "others",
      (items: Item[]) => items.map((item) => ({ ...item, id: Number(item["id"]) + 7000, userId: "x", orgId: null })),
    ],
  ])("with %s in its lists makes nothing gone, and rents nothing", async (_, lists) => {
    const { rig, stack } = await running({ train });
    const provider = () =>
      rig.startProvider({}, { wire: changingList(paths.bareMetal, lists), service: { key: "other" } });
    const message =
      `bare-metal rental 1001 is not listed at ${baseUrl}, but the API key is not the one with which it was last seen or ` +
      "requested: it may be the key of another account, so it does not count as gone. Use a key of the account that rented " +
      "it; or, if it is gone, run this again with GPUFLEET_CONFIRM_GONE=1.";
    expect((await stack.up({ train }, { refresh: true, provider: provider() })).errors["train"]).toBe(
      `reading BareMetalRental "train": ${message}`,
    );
    expect((await stack.destroy({ provider: provider() })).errors["train"]).toBe(
      `deleting BareMetalRental "train": ${message}`,
    );
    expect(stack.get("train").id).toBe("1001");
    expect(live(rig)).toEqual([1001]);
  });

  test("with none in its lists empties no state, whatever is in it", async () => {
    const { rig, stack } = await running({ a: train, b: train, data });
    const empty = (path: string) => changingList(path, () => []);
    const wire: Surroundings["wire"] = (transport) => empty(paths.volumes)(empty(paths.bareMetal)(transport));
    const { errors } = await stack.refresh(rig.startProvider({}, { wire, service: { key: "other" } }));
    expect(Object.keys(errors).sort()).toEqual(["a", "b", "data"]);
    expect(stack.state.size).toBe(3);
  });
});

describe("The key of another organization of the same user", () => {
  const [own, other] = [{ orgId: "own" }, { orgId: "other" }];

  /** A stack of one organization, and a provider whose lists hold these instead. */
  async function between(...lists: Item[]) {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const first = account(paths.bareMetal, (item) => ({ ...item, ...own }), {});
    expect((await stack.up({ train }, { provider: rig.startProvider({}, first) })).errors).toEqual({});
    rig.clock.advance(3600);
    const wire = changingList(paths.bareMetal, ([item]) =>
      lists.map((more, index) => ({ ...item, label: null, id: 7000 + index, ...more })),
    );
    return { rig, stack, provider: () => rig.startProvider({}, { wire, service: { key: "other" } }) };
  }

  test.each<[string, Item[]]>([
    ["others", [other]],
    ["others, and some of the user alone", [{ orgId: null }, other]],
  ])("with %s in its lists makes nothing gone, and rents nothing", async (_, lists) => {
    const { rig, stack, provider } = await between(...lists);
    expect((await stack.refresh(provider())).errors["train"]).toMatch(/it may be the key of another account/);
    expect((await stack.up({ train, box }, { provider: provider() })).errors["box"]).toMatch(
      /no list shows that it is of the same account/,
    );
    expect((await stack.destroy({ provider: provider() })).errors["train"]).toMatch(/the key of another account/);
    expect(live(rig)).toEqual([1001]);
  });

  test.each<[string, Item[]]>([
    ["both organizations", [other, own]],
    ["the user alone", [{ orgId: null }]],
    ["a colleague", [{ ...own, userId: "colleague" }]],
  ])("is one of the same account where its lists show %s: what is gone is gone", async (_, lists) => {
    const { stack, provider } = await between(...lists);
    expect((await stack.refresh(provider())).steps).toEqual(["gone train"]);
  });
});

describe("A rotated key of the same account", () => {
  const rotated = (rig: Rig, wire?: Surroundings["wire"]) =>
    rig.startProvider({}, { service: { key: "rotated" }, ...(wire && { wire }) });

  test("works without a word while the machines are listed, and is written down", async () => {
    const { rig, stack } = await running(everything);
    const { steps, errors, provider } = await stack.up(everything, { refresh: true, provider: rotated(rig) });
    expect({ steps: steps.sort(), errors }).toEqual({
      steps: ["same bargain", "same box", "same data", "same link", "same train"],
      errors: {},
    });
    expect(provider.shown.filter(({ kind }) => kind !== "status")).toEqual([]);
    expect(stack.get("train").outputs["__where"]).toMatchObject({ key: "rotated" });
    expect((await stack.destroy({ provider: rotated(rig) })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("ends a machine without a refresh before", async () => {
    const { rig, stack } = await running(everything);
    expect((await stack.destroy({ provider: rotated(rig) })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("is known by the account of others that are listed: what is gone is gone", async () => {
    const { rig, stack } = await running({ a: train, b: train });
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    rig.clock.advance(60);
    expect((await stack.refresh(rotated(rig))).steps).toEqual(["gone a"]);
  });

  test("is not known where nothing is listed: a person's word is needed", async () => {
    const { rig, stack } = await running({ train });
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    rig.clock.advance(60);
    expect((await stack.refresh(rotated(rig))).errors).toHaveProperty("train");
    const confirmed = rig.startProvider({ confirmGone: true }, { service: { key: "rotated" } });
    expect((await stack.refresh(confirmed)).steps).toEqual(["gone train"]);
  });
});
