import { endInConsole } from "../../faults/simulation/console";
import { FakeEngine, type Program } from "../fakeEngine";
import { createRig, type ProviderProcess, paths, type Surroundings } from "../rig";
import { changingList, type Item, leavingOut, live } from "../wire";
import { account, bargain, box, data, fields, running, train } from "./placedStack";

test("A label that the service writes otherwise than it was asked for is not somebody else's", async () => {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  const wire = changingList(paths.bareMetal, (items) =>
    items.map((item) => ({ ...item, label: String(item["label"]).toUpperCase() })),
  );
  const provider = () => rig.startProvider({}, { wire });
  for (const waitForReady of [true, false]) {
    const it = { ...train, inputs: { ...fields, waitForReady } };
    expect((await stack.up({ it }, { provider: provider() })).errors).toEqual({});
    expect((await stack.up({ it }, { refresh: true, provider: provider() })).errors).toEqual({});
    expect((await stack.destroy({ provider: provider() })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  }
});

test("A machine without a label under our id is not ours to a key that may be anybody's", async () => {
  const { rig, stack } = await running({ train });
  const wire = changingList(paths.bareMetal, (items) => items.map(({ userId: _, label: __, ...item }) => item));
  const provider = rig.startProvider({}, { wire, service: { key: "another" } });
  const { errors } = await stack.destroy({ provider });
  expect(errors["train"]).toBe(
    'deleting BareMetalRental "train": bare-metal rental 1001 is there, too, but label differs, and the API key is not the one with which it was last seen: it is somebody else\'s. Use the key of the account that rented it. Nothing was changed.',
  );
  expect(rig.count("POST", `${paths.bareMetal}/terminate`)).toBe(0);
});

describe("An id that the service has given to another one of the same account", () => {
  const chosen = { ...train, inputs: { ...fields, label: "mine" } };
  const later = { createdAt: "2030-01-01T00:00:00Z" };
  const kinds: [string, Program[string], string, Item][] = [
    ["without a label", train, paths.bareMetal, { ...later, label: null }],
    ["with the label that we chose", chosen, paths.bareMetal, later],
    ["of a virtual machine, without a label", box, paths.vm, { ...later, label: null }],
    ["of a volume, without a label", data, paths.volumes, { ...later, label: null }],
    ["of a marketplace instance", bargain, paths.instances, { created: "2030-01-01T00:00:00Z" }],
  ];

  test.each(kinds)("is somebody else's: one %s", async (_, it, path, theirs) => {
    const { rig, stack } = await running({ it });
    const before = stack.get("it");
    const wire = changingList(path, (items) => items.map((item) => ({ ...item, ...theirs })));
    const changed = { it: { ...it, inputs: { ...it.inputs, timeouts: { create: 60 } } } };
    const commands = [
      (provider: ProviderProcess) => stack.refresh(provider),
      (provider: ProviderProcess) => stack.up(changed, { provider }),
      (provider: ProviderProcess) => stack.destroy({ provider }),
    ];
    for (const run of commands) {
      const { errors } = await run(rig.startProvider({}, { wire }));
      expect(errors["it"]).toMatch(
        /was created at 2030-01-01T00:00:00Z there, and this resource's at \S+: it is somebody else's\. If it is yours all the same, .* adoptId: "\S+"\. If yours has ended and the service has given its id to another one, remove the resource with `pulumi state delete`/,
      );
    }
    expect(stack.get("it")).toEqual(before);
    expect(live(rig)).toHaveLength(1);
  });

  test.each([
    ["its own label is proof, whatever the time", { ...later }],
    ["a time that is rounded is the same one", { createdAt: "2026-09-12T12:00:00Z" }],
    ["a record without a time says nothing", { createdAt: undefined }],
  ])("is not seen where there is none: %s", async (_, shown) => {
    const { rig, stack } = await running({ train });
    const wire = changingList(paths.bareMetal, (items) => items.map((item) => ({ ...item, ...shown })));
    expect((await stack.refresh(rig.startProvider({}, { wire }))).errors).toEqual({});
    expect((await stack.destroy({ provider: rig.startProvider({}, { wire }) })).errors).toEqual({});
    expect(live(rig)).toEqual([]);
  });

  test("a time that only our own clock has told is not held against its record", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const noTime = { created: undefined, created_at: undefined, start: undefined, started_at: undefined };
    const silent = changingList(paths.instances, (items) => items.map((item) => ({ ...item, ...noTime })));
    const it = { ...bargain, inputs: { ...bargain.inputs, waitForReady: false } };
    expect((await stack.up({ it }, { provider: rig.startProvider({}, { wire: silent }) })).errors).toEqual({});
    expect((await stack.refresh(rig.startProvider({}, { wire: silent }))).errors).toEqual({});
    rig.clock.advance(3600);
    const late = changingList(paths.instances, (items) =>
      items.map((item) => ({ ...item, created: new Date(rig.clock.now()).toISOString() })),
    );
    expect((await stack.refresh(rig.startProvider({}, { wire: late }))).errors).toEqual({});
    expect((await stack.destroy()).errors["it"]).toMatch(/it is somebody else's/);
  });
});

describe("A record that says of our id that it has ended", () => {
  const others: [string, Item, object][] = [
    ["of another account", { userId: "somebody-else" }, { key: "another" }],
    ["with somebody else's label", { label: "theirs" }, {}],
    ["without a label, seen with another key", { userId: undefined, label: undefined }, { key: "another" }],
  ];

  test.each(others)("%s says nothing of our machine", async (_, change, service) => {
    const { rig, stack } = await running({ train });
    const wire = changingList(paths.bareMetal, (items) =>
      items.map((item) => ({ ...item, status: "Terminated", terminatedAt: "2026-01-01T00:00:00Z", ...change })),
    );
    for (const command of ["refresh", "destroy"] as const) {
      const provider = rig.startProvider({}, { wire, service });
      const { errors } = command === "refresh" ? await stack.refresh(provider) : await stack.destroy({ provider });
      expect(errors["train"]).toMatch(/it is somebody else's/);
      expect(stack.get("train").id).toBe("1001");
    }
    expect(rig.count("POST", `${paths.bareMetal}/terminate`)).toBe(0);
    expect(live(rig)).toEqual([1001]);
  });

  test("is believed where it is ours", async () => {
    const { rig, stack } = await running({ train });
    const wire = changingList(paths.bareMetal, (items) => items.map((item) => ({ ...item, status: "Terminated" })));
    expect((await stack.refresh(rig.startProvider({}, { wire }))).steps).toEqual(["gone train"]);
  });
});

describe("The account of a record", () => {
  const user = { userId: "me" };
  const [org, otherOrg] = [{ orgId: "team" }, { orgId: "rivals" }];
  const none = { userId: undefined, orgId: null };
  const chosen = { ...train, inputs: { ...fields, label: "my-training" } };

  interface Circumstances {
    it?: typeof train;
    service?: Surroundings["service"];
    /** A field that an older version did not write. */
    forget?: string;
  }

  /** A stack that was made while the records said this, then looked at while they say that. */
  async function seenAs(first: Item, then: Item, { it = chosen, service = {}, forget = "" }: Circumstances) {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const saying = (item: Item, more: Surroundings["service"] = {}) =>
      rig.startProvider(
        {},
        account(paths.bareMetal, (record) => ({ ...record, ...none, ...item }), more),
      );
    expect((await stack.up({ it }, { provider: saying(first) })).errors).toEqual({});
    const { [forget]: _, ...where } = Object(stack.get("it").outputs["__where"]);
    stack.get("it").outputs["__where"] = where;
    const { errors } = await stack.refresh(saying(then, service));
    return { error: errors["it"], stack, destroy: () => stack.destroy({ provider: saying(then, service) }) };
  }

  test.each<[string, Item, Item]>([
    ["the user has joined an organization", user, { ...user, ...org }],
    ["the user has left the organization", { ...user, ...org }, user],
    ["the user has another organization", { ...user, ...org }, { ...user, ...otherOrg }],
    ["another user of the organization asks", { ...user, ...org }, { userId: "colleague", ...org }],
    ["the record has come to say nothing", { ...user, ...org }, {}],
  ])("is the same where %s", async (_, first, then) => {
    const { error, destroy } = await seenAs(first, then, {});
    expect(error).toBeUndefined();
    expect((await destroy()).errors).toEqual({});
  });

  test.each<[string, Item, Item]>([
    ["organization and user", { ...user, ...org }, { userId: "somebody", ...otherOrg }],
    ["user, without an organization", user, { userId: "somebody" }],
    ["user, who is in an organization", user, { userId: "somebody", ...otherOrg }],
  ])("is another one with another %s", async (_, first, then) => {
    const { error, destroy } = await seenAs(first, then, {});
    expect(error).toMatch(/is that of another user or organization there: it is somebody else's/);
    expect((await destroy()).errors["it"]).toMatch(/somebody else's/);
  });

  test("is the same to a rotated key where the user or the organization is the same", async () => {
    const service = { key: "rotated" };
    expect((await seenAs(user, { ...user, ...org }, { service })).error).toBeUndefined();
    expect((await seenAs({ ...user, ...org }, { userId: "colleague", ...org }, { service })).error).toBeUndefined();
  });

  test("is another one to another key where the user has another organization", async () => {
    const [first, then] = [
      { ...user, ...org },
      { ...user, ...otherOrg },
    ];
    const { error, destroy } = await seenAs(first, then, { service: { key: "other" } });
    expect(error).toMatch(/the API key belongs to another account: .* it is somebody else's/);
    expect((await destroy()).errors["it"]).toMatch(/somebody else's/);
    const said = { key: "other", isSameAccount: true };
    expect((await seenAs(first, then, { service: said })).error).toBeUndefined();
  });

  test.each<[string, Item, Item]>([
    ["the user alone", user, user],
    ["the organization alone", org, org],
    ["the user alone now", { ...user, ...org }, user],
    ["the organization alone now", { ...user, ...org }, org],
    ["the organization, too, now", user, { ...user, ...org }],
    ["the user, too, now", org, { ...user, ...org }],
  ])("is the same to a rotated key where records show %s", async (_, first, then) => {
    const { error, destroy } = await seenAs(first, then, { service: { key: "rotated" } });
    expect(error).toBeUndefined();
    expect((await destroy()).errors).toEqual({});
  });

  test("is kept as organization and user, and the one value of an older version is still read", async () => {
    const { stack } = await seenAs({ ...user, ...org }, { ...user, ...org }, {});
    const oneWayValue = expect.stringMatching(/^[\w-]{12}$/);
    expect(stack.get("it").outputs["__where"]).toMatchObject({ account: oneWayValue, user: oneWayValue });
    const older = { forget: "user" };
    expect((await seenAs({ ...user, ...org }, { userId: "colleague", ...org }, older)).error).toBeUndefined();
    expect((await seenAs(user, { ...user, ...org }, older)).error).toBeUndefined();
    expect((await seenAs({ ...user, ...org }, { ...user, ...otherOrg }, older)).error).toMatch(/somebody else's/);
  });

  test("says less than the very label that was chosen for the machine, unless the key is another one", async () => {
    const [first, then] = [
      { ...user, ...org },
      { userId: "somebody", ...otherOrg },
    ];
    expect((await seenAs(first, then, { it: train })).error).toBeUndefined();
    expect((await seenAs(first, then, { it: train, service: { key: "other" } })).error).toMatch(/somebody else's/);
  });

  test("that only the lists show as an organization locks no member of a fleet out", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const it = { ...train, inputs: { ...fields, waitForReady: false } };
    const provider = () =>
      rig.startProvider(
        {},
        account(paths.bareMetal, (item) => ({ ...item, ...org }), {}),
      );
    expect((await stack.up({ it }, { provider: provider() })).errors).toEqual({});
    expect((await stack.up({ it }, { refresh: true, provider: provider() })).errors).toEqual({});
    expect((await stack.destroy({ provider: provider() })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });
});

describe("A label that the lists show cut, and the answer to the create in full", () => {
  const named = (label?: string) => ({ ...train, inputs: { ...fields, waitForReady: false, ...(label && { label }) } });
  const cutting = (length: number, service: Surroundings["service"] = {}) =>
    account(paths.bareMetal, (item) => ({ ...item, label: String(item["label"]).slice(0, length) }), service);

  test.each([
    ["an automatic one", named(), 20],
    ["a chosen one", named("training-of-the-large-model"), 16],
  ])("is ours to the same key: %s", async (_, it, length) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const provider = () => rig.startProvider({}, cutting(length));
    expect((await stack.up({ it }, { provider: provider() })).errors).toEqual({});
    const again = await stack.up({ it }, { provider: provider(), refresh: true });
    expect(again).toMatchObject({ errors: {}, steps: ["same it"] });
    expect((await stack.destroy({ provider: provider() })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("is not ours where too little of it is left, and the way out is named", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const it = named("training-of-the-large-model");
    expect((await stack.up({ it })).errors).toEqual({});
    const { errors } = await stack.destroy({ provider: rig.startProvider({}, cutting(8)) });
    expect(errors["it"]).toBe(
      'deleting BareMetalRental "it": bare-metal rental 1001 is labelled "training" there, and this resource\'s is ' +
        '"training-of-the-large-model": it is somebody else\'s. If it is yours all the same, because the service or somebody ' +
        "has changed its label, take the resource out of the state with `pulumi state delete`, and adopt it with that label " +
        'and adoptId: "1001". If yours has ended and the service has given its id to another one, remove the resource with ' +
        "`pulumi state delete`; the next `pulumi up` creates a new one. Nothing was changed.",
    );
    expect(live(rig)).toEqual([1001]);
  });

  test("is not ours to another key where the records say nothing of the account", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    expect((await stack.up({ it: named() })).errors).toEqual({});
    const silent = account(
      paths.bareMetal,
      (item) => ({ ...item, userId: undefined, orgId: null, label: String(item["label"]).slice(0, 20) }),
      { key: "other" },
    );
    const { errors } = await stack.destroy({ provider: rig.startProvider({}, silent) });
    expect(errors["it"]).toMatch(/somebody else's. Check that address and API key/);
    expect(live(rig)).toEqual([1001]);
  });
});

describe("With another key, a record in which nothing shows whose it is", () => {
  const noTime = { created: undefined, created_at: undefined, start: undefined, started_at: undefined };
  const chosen = { ...box, inputs: { gpuCount: 1, label: "worker" } };
  const later = { created: "2030-01-01T00:00:00Z" };
  const silent = { userId: undefined, orgId: null };
  const kinds: [string, typeof box, string, Item][] = [
    ["a marketplace instance that says nothing", bargain, paths.instances, noTime],
    ["a marketplace instance of another time", bargain, paths.instances, { ...noTime, ...later }],
    [
      "a virtual machine with the same chosen label",
      chosen,
      paths.vm,
      { ...silent, createdAt: "2030-01-01T00:00:00Z" },
    ],
    ["one of which no time is known either", chosen, paths.vm, { ...silent, createdAt: undefined }],
  ];

  test.each(kinds)("is not read, changed or ended until a person says so: %s", async (_, it, path, theirs) => {
    const { rig, stack } = await running({ it });
    const provider = (service: Surroundings["service"] = { key: "other" }) =>
      rig.startProvider(
        {},
        account(path, (item) => ({ ...item, ...theirs }), service),
      );
    const noun = it.type === "VmRental" ? "virtual-machine rental" : "marketplace instance";
    const { id } = stack.get("it");
    const reason =
      `the API key is not the one with which ${noun} ${id} was last seen, and nothing in its record shows that it is the ` +
      "same one: it may be somebody else's. Use the former key; or, if both are keys of one account, run this once with " +
      "GPUFLEET_SAME_ACCOUNT=1. Nothing was changed.";
    expect((await stack.refresh(provider())).errors["it"]).toBe(`reading ${it.type} "it": ${reason}`);
    expect((await stack.destroy({ provider: provider() })).errors["it"]).toBe(`deleting ${it.type} "it": ${reason}`);
    expect(live(rig)).toHaveLength(1);

    const confirmed = { key: "other", isSameAccount: true };
    const shown = theirs["created"] ?? theirs["createdAt"];
    if (shown !== undefined) {
      // Of one account or not: what was created at another time is another one.
      expect((await stack.refresh(provider(confirmed))).errors["it"]).toMatch(
        /was created at 2030-01-01T00:00:00Z there/,
      );
      return;
    }
    expect((await stack.refresh(provider(confirmed))).errors).toEqual({});
    expect(stack.get("it").outputs["__where"]).toMatchObject({ key: "other" });
    expect((await stack.destroy({ provider: provider() })).errors).toEqual({});
    expect(live(rig)).toEqual([]);
  });

  test("is known by the moment of its creation, in whatever form", async () => {
    const { rig, stack } = await running({ it: chosen });
    const change = (item: Item) => ({
      ...item,
      ...silent,
      createdAt: String(item["createdAt"]).replace("T", " ").replace("Z", "+00"),
    });
    const provider = rig.startProvider({}, account(paths.vm, change));
    expect((await stack.destroy({ provider })).errors).toEqual({});
    expect(live(rig)).toEqual([]);
  });
});

describe("An id that was given to somebody else", () => {
  const givenAway = async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ it: train });
    const id = Number(stack.get("it").id);
    await rig.run(endInConsole(rig.client, train.type, String(id)));
    rig.clock.advance(600);
    rig.emulator.reuseId("bare-metal", id, "theirs");
    return { rig, stack, id };
  };

  test("is not ours where the record cannot be read, but has their label", async () => {
    const { rig, stack, id } = await givenAway();
    const wire = changingList(paths.bareMetal, (items) => items.map((item) => ({ ...item, status: 7 })));
    const { errors } = await stack.destroy({ provider: rig.startProvider({}, { wire }) });
    expect(errors["it"]).toMatch(/is labelled "theirs" there, .* it is somebody else's/);
    expect(live(rig)).toEqual([id]);
  });

  test("is not ours where one list shows nothing of it that can be read", async () => {
    const { rig, stack, id } = await givenAway();
    let lists = 0;
    const wire = changingList(paths.bareMetal, (items) => {
      lists += 1;
      return items.map((item) => (lists === 1 ? { id: item["id"], status: 7 } : item));
    });
    const { errors } = await stack.destroy({ provider: rig.startProvider({}, { wire }) });
    expect(errors["it"]).toMatch(/it is somebody else's/);
    expect(live(rig)).toEqual([id]);
  });

  test("is not ours where one list leaves it out", async () => {
    const { rig, stack, id } = await givenAway();
    const wire = leavingOut(paths.bareMetal, () => true, 1);
    const { errors } = await stack.destroy({ provider: rig.startProvider({}, { wire }) });
    expect(errors["it"]).toMatch(/it is somebody else's/);
    expect(live(rig)).toEqual([id]);
  });
});
