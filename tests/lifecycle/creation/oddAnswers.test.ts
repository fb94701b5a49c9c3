import { FakeEngine } from "../fakeEngine";
import { createRig, type ProviderProcess, paths, type Rig } from "../rig";
import { answering, changingAnswer, changingList, type Item, intercepting, live } from "../wire";

const fields = { networkType: "infiniband", gpuCount: 8 };
const train = { type: "BareMetalRental", inputs: fields };
const chosen = { type: "BareMetalRental", inputs: { ...fields, label: "mine" } };

function warnings({ shown }: ProviderProcess): string[] {
  return shown.filter(({ kind }) => kind === "warning").map(({ text }) => text);
}

describe("A service that writes labels in its own way", () => {
  const ways: [string, (label: string) => string | null][] = [
    ["cut", (label) => label.slice(0, 16)],
    ["in capitals and with something before them", (label) => `ACME/${label.toUpperCase()}`],
    ["not at all", () => null],
  ];

  test.each(ways)(
    "(%s) and loses a reply: what it made is named, and nothing is rented beside it",
    async (_, write) => {
      const rig = createRig();
      const stack = new FakeEngine(rig);
      const wire = changingList(paths.bareMetal, (items) =>
        items.map((item) => ({ ...item, label: write(String(item["label"])) })),
      );
      const provider = () => rig.startProvider({}, { wire });
      rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "reset-after" });
      const first = await stack.up({ train }, { provider: provider() });
      expect(first.errors["train"]).toMatch(/bare-metal rental 1001 .* may be it; nothing proves it/);
      const second = await stack.up({ train }, { provider: provider() });
      expect(second.errors["train"]).toMatch(/bare-metal rental 1001 .* may be it; .*recover --adopt 1001 --urn/);
      const destroyed = await stack.destroy({ provider: provider() });
      expect(destroyed.errors["train"]).toMatch(/bare-metal rental 1001 .* may be it/);
      expect(live(rig)).toEqual([1001]);
      expect(stack.state.size).toBe(1);
    },
  );

  test("does not make an older machine of somebody else a candidate", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await rig.run(rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8 }));
    rig.clock.advance(3600);
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "reset-before" });
    await stack.up({ train });
    expect((await stack.up({ train })).errors).toEqual({});
    expect(live(rig)).toEqual([1001, 1002]);
  });
});

describe("The answer to a create", () => {
  const answeringWith = (rig: Rig, change: (own: Item) => object) =>
    rig.startProvider({}, { wire: changingAnswer("POST", paths.bareMetal, change) });

  test("that names somebody else's machine is not believed: the one with our label is used", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const foreign = await rig.run(
      rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, label: "foreign" }),
    );
    const provider = answeringWith(rig, (own) => ({ ...own, id: foreign.id, label: "foreign" }));
    expect((await stack.up({ train }, { provider })).errors).toEqual({});
    expect(stack.get("train").id).toBe("1002");
    await stack.destroy();
    expect(live(rig)).toEqual([1001]);
  });

  test.each([
    { listed: "with the one that has our label", lag: 0 },
    { listed: "long before that one", lag: 10 },
  ])(
    "that names somebody else's machine with our label is not believed, once it is listed $listed",
    async ({ lag }) => {
      const rig = createRig();
      const stack = new FakeEngine(rig);
      await rig.run(rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8 }));
      rig.clock.advance(3600);
      const list = { method: "GET", path: paths.bareMetal };
      rig.fault({ match: list, kind: "omit", ids: [1001] });
      if (lag > 0) rig.fault({ match: list, nth: 2, kind: "omit", ids: [1002], times: lag });
      const provider = answeringWith(rig, (own) => ({ ...own, id: 1001 }));
      expect((await stack.up({ train }, { provider })).errors).toEqual({});
      expect(stack.get("train").id).toBe("1002");
      await stack.destroy();
      expect(live(rig)).toEqual([1001]);
    },
  );

  test("that names a machine that ran before leaves a create with a chosen label in doubt", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await rig.run(rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, label: "foreign" }));
    const provider = answeringWith(rig, (own) => ({ ...own, id: 1001 }));
    const { errors } = await stack.up({ chosen }, { provider });
    expect(errors["chosen"]).toMatch(
      /which is not the one that was created\. .*bare-metal rental 1002 "mine" .* may be it/,
    );
    expect(stack.get("chosen").id).toMatch(/^unresolved:/);
  });

  test("with somebody else's label leaves a create with a chosen one in doubt, also where no list showed that machine before", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await rig.run(rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, label: "foreign" }));
    rig.fault({ match: { method: "GET", path: paths.bareMetal }, kind: "stale-list", seconds: 3600 });
    const provider = answeringWith(rig, (own) => ({ ...own, id: 1001, label: "foreign" }));
    const { errors } = await stack.up({ chosen }, { provider });
    expect(errors["chosen"]).toMatch(
      /which is not the one that was created\. .*bare-metal rental 1002 "mine" .* may be it/,
    );
    await stack.destroy();
    expect(live(rig)).toContain(1001);
  });

  describe("with the beginning of our label, which somebody else's machine has that no list showed before,", () => {
    /** It is called `label`; the list before the create leaves it out, and others leave out what was made for so many seconds. */
    async function withNamesake(label: string, hiddenFor = 0) {
      const rig = createRig();
      const stack = new FakeEngine(rig);
      await rig.run(rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, label }));
      rig.clock.advance(3600);
      let madeAt: number | undefined;
      const wrong = changingAnswer("POST", paths.bareMetal, (own) => {
        madeAt = rig.clock.now();
        return { ...own, id: 1001, label };
      });
      const isShown = (id: unknown) =>
        id === 1001 ? madeAt !== undefined : rig.clock.now() >= (madeAt ?? 0) + hiddenFor * 1000;
      const hiding = changingList(paths.bareMetal, (items) => items.filter(({ id }) => isShown(id)));
      return { rig, stack, provider: rig.startProvider({}, { wire: (send) => wrong(hiding(send)) }) };
    }

    test.each([0, 20])("is not believed: the one with our label, listed after %i s, is used", async (hiddenFor) => {
      const { rig, stack, provider } = await withNamesake("train", hiddenFor);
      expect((await stack.up({ train }, { provider })).errors).toEqual({});
      expect(stack.get("train").id).toBe("1002");
      expect(warnings(provider)).toEqual([]);
      await stack.destroy();
      expect(live(rig)).toEqual([1001]);
    });

    test("is in doubt where no list shows ours for longer than lists lag, until one does", async () => {
      const { rig, stack, provider } = await withNamesake("train", 3600);
      const { errors } = await stack.up({ train }, { provider });
      expect(errors["train"]).toMatch(/1001 "train" .*, which is not the one that was created\. .* may be it/);
      expect(stack.get("train").id).toMatch(/^unresolved:/);
      expect((await stack.up({ train })).errors).toEqual({});
      expect(stack.get("train").id).toBe("1002");
      await stack.destroy();
      expect(live(rig)).toEqual([1001]);
    });

    test("is in doubt where no list shows anything, until one does", async () => {
      const { rig, stack } = await withNamesake("train");
      const wrong = changingAnswer("POST", paths.bareMetal, (own) => ({ ...own, id: 1001, label: "train" }));
      const hiding = changingList(paths.bareMetal, () => []);
      const provider = rig.startProvider({}, { wire: (send) => wrong(hiding(send)) });
      const { errors } = await stack.up({ train }, { provider });
      expect(errors["train"]).toMatch(/1001 "train" .*, which no list shows\. It is unknown whether it was created/);
      expect((await stack.up({ train })).errors).toEqual({});
      expect(stack.get("train").id).toBe("1002");
    });

    test("leaves a create with a chosen label in doubt", async () => {
      const { rig, stack, provider } = await withNamesake("min");
      const { errors } = await stack.up({ chosen }, { provider });
      expect(errors["chosen"]).toMatch(
        /1001 "min" .*, which is not the one that was created\. .*1002 "mine" .* may be it/,
      );
      await stack.destroy();
      expect(live(rig)).toEqual([1001, 1002]);
    });
  });

  test("with the id of a machine that has a part of the label is not believed beside one that has all of it in capitals", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    // Without times nothing else tells how long it has run, and the list before the create lacked it.
    await rig.run(rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, label: "t" }));
    let lists = 0;
    const written = (item: Item) => ({ ...item, label: String(item["label"]).toUpperCase(), createdAt: null });
    const list = changingList(paths.bareMetal, (items) => {
      lists += 1;
      return lists === 1 ? [] : items.map(written);
    });
    const mistaken = changingAnswer("POST", paths.bareMetal, (made) => ({ ...written(made), id: 1001 }));
    const provider = () => rig.startProvider({}, { wire: (send) => mistaken(list(send)) });
    const first = provider();
    const { errors } = await stack.up({ t: train }, { provider: first });
    expect(errors["t"]).toMatch(
      /1001 "T" .*, which is not the one that was created\. .*1002 "T-.* and .*1001 "T" .* may be it; .*recover --adopt 1002 /,
    );
    expect(stack.get("t").id).toMatch(/^unresolved:/);
    expect((await stack.destroy({ provider: provider() })).errors["t"]).toMatch(/recover --adopt 1002 /);
    expect(live(rig)).toEqual([1001, 1002]);
  });

  /** A service that answers a create with the machine that somebody else rents at the same time, and does not show its label. */
  function mistaken(rig: Rig, hiddenFor = 0) {
    let shownFrom: number | undefined;
    const wrong = intercepting((request) => {
      if (request.method !== "POST" || request.path !== paths.bareMetal || shownFrom !== undefined) return undefined;
      shownFrom = rig.clock.now() + hiddenFor * 1000;
      const theirs = rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, label: "colleague" });
      return theirs.then((made) => answering(200, { ...made, label: null }));
    });
    const hiding = changingList(paths.bareMetal, (items) => (rig.clock.now() < (shownFrom ?? 0) ? [] : items));
    return rig.startProvider({}, { wire: (send) => wrong(hiding(send)) });
  }

  test.each([
    { when: "is ready", inputs: {} },
    { when: "is not waited for", inputs: { waitForReady: false } },
    { when: "is over its limit", inputs: { maxCostPerHour: 10 } },
  ])(
    "without a label, and with the id of somebody else's new machine, is not believed when that $when",
    async ({ inputs }) => {
      const rig = createRig();
      const stack = new FakeEngine(rig);
      const it = { type: "BareMetalRental", inputs: { ...fields, ...inputs } };
      const { errors } = await stack.up({ it }, { provider: mistaken(rig) });
      expect(errors["it"]).toMatch(
        /answered with bare-metal rental 1001 "colleague" .*, which is not the one that was created\. .*unknown.*1001 .* may be it/,
      );
      expect(stack.get("it").id).toMatch(/^unresolved:/);
      // Only a label speaks against it, and services change labels: a person settles it.
      const settle = /1001 "colleague" .* may be it; .*recover --adopt 1001 .*--nothing-made/;
      expect((await stack.up({ it })).errors["it"]).toMatch(settle);
      expect((await stack.destroy()).errors["it"]).toMatch(settle);
      expect(live(rig)).toEqual([1001]);
    },
  );

  test.each([{}, { maxCostPerHour: 10 }])(
    "without a label, and with the id of what is listed with somebody else's later than lists lag, ends nothing (%j)",
    async (inputs) => {
      const rig = createRig();
      const stack = new FakeEngine(rig);
      const it = { type: "BareMetalRental", inputs: { ...fields, ...inputs } };
      const { errors } = await stack.up({ it }, { provider: mistaken(rig, 200) });
      expect(errors["it"]).toMatch(/somebody else's label: .*1001 "colleague".*state delete .*adoptId: '1001'\.$/);
      expect(stack.get("it").id).toBe("1001");
      expect((await stack.destroy()).errors["it"]).toBeDefined();
      expect(live(rig)).toEqual([1001]);
    },
  );

  test("keeps its id where somebody gives the machine another label before it runs", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const renamed = changingList(paths.bareMetal, (items) => items.map((item) => ({ ...item, label: "renamed" })));
    await stack.up({ train }, { provider: rig.startProvider({}, { wire: renamed }) });
    expect(stack.get("train").id).toBe("1001");
  });

  test("that an earlier create has had already is not believed: each has its own machine", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    let first: Item | undefined;
    const replaying = changingAnswer("POST", paths.bareMetal, (own) => (first ??= own));
    const provider = rig.startProvider({}, { wire: replaying });
    expect((await stack.up({ one: train, two: train }, { provider })).errors).toEqual({});
    expect([stack.get("one").id, stack.get("two").id].sort()).toEqual(["1001", "1002"]);
  });

  test("with a long label of which lists show the beginning is about the new machine", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const cut = changingList(paths.bareMetal, (items) =>
      items.map((item) => ({ ...item, label: String(item["label"]).slice(0, 16) })),
    );
    const silent = changingAnswer("POST", paths.bareMetal, (own) => ({ ...own, label: null }));
    const provider = () => rig.startProvider({}, { wire: (send) => silent(cut(send)) });
    const label = "nightly-finetune-llama-70b-eu-west-team-alpha";
    const program = {
      chosen: { type: "BareMetalRental", inputs: { ...fields, label } },
      "a-fleet-member-with-a-long-name": train,
    };
    expect((await stack.up(program, { provider: provider() })).errors).toEqual({});
    expect((await stack.destroy({ provider: provider() })).errors).toEqual({});
    expect(live(rig)).toEqual([]);
  });

  test.each(["cut", "in capitals", "not at all"])(
    "without a label is about the new machine where the service writes labels %s",
    async (way) => {
      const rig = createRig();
      const stack = new FakeEngine(rig);
      const write = (label: string) =>
        way === "cut" ? label.slice(0, 16) : way === "in capitals" ? label.toUpperCase() : null;
      const rewriting = changingList(paths.bareMetal, (items) =>
        items.map((item) => ({ ...item, label: write(String(item["label"])) })),
      );
      const silent = changingAnswer("POST", paths.bareMetal, (own) => ({ ...own, label: null }));
      const provider = () => rig.startProvider({}, { wire: (send) => silent(rewriting(send)) });
      expect((await stack.up({ train, chosen }, { provider: provider() })).errors).toEqual({});
      expect((await stack.up({ train, chosen }, { provider: provider(), refresh: true })).steps).toEqual([
        "same train",
        "same chosen",
      ]);
      expect((await stack.destroy({ provider: provider() })).errors).toEqual({});
      expect(live(rig)).toEqual([]);
    },
  );

  test.each(["MINE", "acme/mine", "min"])(
    "with a chosen label that the service writes as %s is about the new machine",
    async (label) => {
      const rig = createRig();
      const stack = new FakeEngine(rig);
      const provider = answeringWith(rig, (own) => ({ ...own, label }));
      expect((await stack.up({ chosen }, { provider })).errors).toEqual({});
      expect(stack.get("chosen").id).toBe("1001");
    },
  );

  test.each([0, -1])("with the id %i is no answer: the label finds what was made", async (id) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const provider = answeringWith(rig, (own) => ({ ...own, id }));
    expect((await stack.up({ train }, { provider })).errors).toEqual({});
    expect(stack.get("train").id).toBe("1001");
  });
});

test("What a proxy has made by sending a create with a chosen label twice is named", async () => {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  let isFirst = true;
  const wire = intercepting((request, send) => {
    if (request.method !== "POST" || request.path !== paths.bareMetal || !isFirst) return undefined;
    isFirst = false;
    return send().then(send);
  });
  const { errors, provider } = await stack.up({ chosen }, { provider: rig.startProvider({}, { wire }) });
  expect(errors).toEqual({});
  expect(warnings(provider)).toContainEqual(
    expect.stringMatching(
      /^bare-metal rental 1001 "mine" \(.*\) came up at the same time and bills, too\. If nobody else has rented it, a proxy has sent the request twice: end it in the service's console\.$/,
    ),
  );
});

describe("An id that the service gives to somebody else once its machine has ended", () => {
  test.each(["before", "behind"])("is not ended again: its own record, %s the other, says so", async (place) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ train });
    const foreign = await rig.run(
      rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, label: "theirs" }),
    );
    const wire = changingList(paths.bareMetal, (items) => {
      const own = items.filter(({ id }) => id === 1001).map((item) => ({ ...item, status: "Terminated" }));
      const other = items.filter(({ id }) => id === foreign.id).map((item) => ({ ...item, id: 1001 }));
      return place === "before" ? [...own, ...other] : [...other, ...own];
    });
    const { errors } = await stack.destroy({ provider: rig.startProvider({}, { wire }) });
    expect(errors).toEqual({});
    expect(stack.state.size).toBe(0);
    expect(rig.count("POST", `${paths.bareMetal}/terminate`)).toBe(0);
  });
});

describe("A create that is refused in the body of a 200", () => {
  const body = { success: false, message: "insufficient balance" };
  const kinds = [
    [train, paths.bareMetal],
    [{ type: "VmRental", inputs: { gpuCount: 1 } }, paths.vm],
    [{ type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } }, paths.volumes],
    [{ type: "MarketplaceInstance", inputs: { gpuCount: 1, select: {} } }, `${paths.instances}/create`],
  ] as const;

  test.each(kinds)("is told in the service's own words, and is not sent again: %j", async (it, path) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    rig.fault({ match: { method: "POST", path }, kind: "status", status: 200, body });
    const { errors } = await stack.up({ it });
    expect(errors["it"]).toContain(
      `POST ${path} answered 200: the answer could not be read: it says "insufficient balance"`,
    );
    expect(stack.get("it").id).toMatch(/^unresolved:/);
    expect(rig.count("POST", path)).toBe(1);
    expect(live(rig)).toEqual([]);
  });

  test("and made something all the same has lost nothing", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const wire = changingAnswer("POST", paths.bareMetal, () => body);
    expect((await stack.up({ train }, { provider: rig.startProvider({}, { wire }) })).errors).toEqual({});
    expect(stack.get("train").id).toBe("1001");
    expect(live(rig)).toEqual([1001]);
  });
});
