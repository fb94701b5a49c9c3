import { createExportedState, readExport } from "../../provider/fronts/exportedState";

const stack = { organization: "organization", project: "rig", stack: "dev" };
const type = "pulumi-nodejs:dynamic/gpufleet:BareMetalRental";
const entry = (name: string, id: string, more: object = {}) => ({
  urn: `urn:pulumi:dev::rig::${type}::${name}`,
  type,
  id,
  outputs: { label: name },
  ...more,
});
const exported = (...resources: object[]) => JSON.stringify({ version: 3, deployment: { resources } });

/** What the command prints, by its arguments; it fails for everything else. */
function createState(answers: Record<string, string>, engine?: { words: string[] }) {
  const asked: string[] = [];
  const pulumi = async (...args: string[]) => {
    const command = args.join(" ");
    asked.push(command);
    const answer = answers[command];
    if (answer === undefined) throw new Error("exit 255");
    return answer;
  };
  return { state: createExportedState(pulumi, {}, async () => engine), asked };
}
const own = "stack export --stack organization/rig/dev";
const up = { words: ["pulumi", "up"] };

describe("The state, as the command exports it", () => {
  test("has the entries of this package, those that are to be deleted among them, and no others", () => {
    const text = exported(
      { urn: "urn:pulumi:dev::rig::pulumi:pulumi:Stack::rig-dev", type: "pulumi:pulumi:Stack" },
      { urn: "urn:pulumi:dev::rig::aws:s3/bucket:Bucket::b", type: "aws:s3/bucket:Bucket", id: "b" },
      entry("train", "1001", { delete: true }),
      entry("train", "1002"),
      entry("read", "1003", { external: true }),
    );
    expect(readExport(text).entries).toEqual([
      {
        urn: entry("train", "").urn,
        type: "BareMetalRental",
        id: "1001",
        outputs: { label: "train" },
        isReplaced: true,
      },
      { urn: entry("train", "").urn, type: "BareMetalRental", id: "1002", outputs: { label: "train" } },
    ]);
  });

  test("has no ciphertext among the outputs, and names what is a secret", () => {
    const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "x" };
    const outputs = { label: secret, gpuCount: 8, storageVolume: { isNew: true, label: secret } };
    const [open, closed] = readExport(exported(entry("train", "1001"), entry("train", "1002", { outputs }))).entries;
    expect(open?.secrets).toBeUndefined();
    expect(closed).toMatchObject({ id: "1002", secrets: ["label", "storageVolume"] });
    expect(closed?.outputs).toEqual({ gpuCount: 8 });
  });

  test.each(["protect", "retainOnDelete"])("says what is not to be deleted: %s", (option) => {
    const text = exported(entry("train", "1001", { [option]: true }), entry("train", "1002", { [option]: false }));
    expect(readExport(text).entries.map(({ isKept }) => isKept)).toEqual([true, undefined]);
  });

  test("says what depends on one, also through components, which are not asked themselves", () => {
    const urn = (name: string) => entry(name, "").urn;
    const command = "urn:pulumi:dev::rig::command:remote:Command";
    const state = readExport(
      exported(
        entry("train", "1001"),
        entry("other", "1002"),
        { urn: `${command}::a`, type: "command:remote:Command", custom: true, dependencies: [urn("train")] },
        {
          urn: "urn:pulumi:dev::rig::my:Set::set",
          type: "my:Set",
          dependencies: [urn("train")],
          propertyDependencies: null,
        },
        {
          urn: `${command}::b`,
          type: "command:remote:Command",
          custom: true,
          parent: "urn:pulumi:dev::rig::my:Set::set",
        },
        {
          urn: `${command}::c`,
          type: "command:remote:Command",
          custom: true,
          propertyDependencies: { x: [`${command}::b`], y: null },
        },
        { urn: `${command}::d`, type: "command:remote:Command", custom: true, dependencies: [urn("other")] },
        {
          urn: `${command}::e`,
          type: "command:remote:Command",
          custom: true,
          replaceWith: [urn("train")],
          protect: true,
        },
      ),
    );
    expect(state.dependencies.dependentsOf([urn("train")])).toEqual([
      { urn: `${command}::a` },
      { urn: "urn:pulumi:dev::rig::my:Set::set", isComponent: true },
      { urn: `${command}::b` },
      { urn: `${command}::c` },
      { urn: `${command}::e`, isProtected: true },
    ]);
  });

  test("says what depends on one as a part of a component, or as its provider, and what is being deleted", () => {
    const part = "urn:pulumi:dev::rig::my:Set$pulumi-nodejs:dynamic/gpufleet:BareMetalRental::train";
    const set = "urn:pulumi:dev::rig::my:Set::set";
    const provider = "urn:pulumi:dev::rig::pulumi:providers:kubernetes::cluster";
    const other = (name: string, more: object) => {
      return { urn: `urn:pulumi:dev::rig::my:Other::${name}`, type: "my:Other", custom: true, ...more };
    };
    const text = exported(
      { urn: set, type: "my:Set" },
      { ...entry("train", "1001"), urn: part, parent: set },
      other("sibling", { parent: set }),
      { urn: provider, type: "pulumi:providers:kubernetes", custom: true, dependencies: [part] },
      other("onCluster", { provider: `${provider}::4f0c` }),
      other("afterSet", { dependencies: [set] }),
    );
    const { dependencies } = readExport(text);
    const names = dependencies.dependentsOf([part]).map(({ urn }) => urn.split("::").at(-1));
    expect(names).toEqual(["cluster", "onCluster", "afterSet"]);
    const urns = [set, part, "sibling", provider, "onCluster", "afterSet", "gone"];
    const rounds = urns.map((name) => dependencies.roundOf(name.includes(":") ? name : other(name, {}).urn));
    expect(rounds).toEqual([0, 1, 1, 2, 3, 2, undefined]);
    const state = JSON.parse(text);
    state.deployment.pending_operations = [{ type: "deleting", resource: { urn: provider } }];
    expect(readExport(JSON.stringify(state)).dependencies.beingDeleted).toEqual([provider]);
  });

  test("knows what is not deleted, unless the run ignores that, and what the program is run for before", () => {
    const urn = (name: string) => entry(name, "").urn;
    const text = exported(
      entry("train", "1001", { protect: true }),
      entry("other", "1002", {
        dependencies: [urn("train")],
        protect: true,
        resourceHooks: { BeforeDelete: ["save"] },
        custom: true,
      }),
      entry("third", "1003", { retainOnDelete: true, resourceHooks: { AfterCreate: ["tell"], BeforeDelete: null } }),
    );
    expect(readExport(text).entries.map(({ isKept, hasDeleteHooks }) => ({ isKept, hasDeleteHooks }))).toEqual([
      { isKept: true, hasDeleteHooks: undefined },
      { isKept: true, hasDeleteHooks: true },
      { isKept: true, hasDeleteHooks: undefined },
    ]);
    const anyway = readExport(text, { ignoresProtect: true });
    expect(anyway.entries.map(({ isKept }) => isKept)).toEqual([undefined, undefined, true]);
    expect(anyway.dependencies.dependentsOf([urn("train")])).toEqual([{ urn: urn("other") }]);
  });

  test("has the time that customTimeouts give a deletion", () => {
    const text = exported(entry("train", "1001", { customTimeouts: { create: 60, delete: 3600 } }));
    expect(readExport(text).entries).toMatchObject([{ deleteSeconds: 3600 }]);
  });

  test.each([exported(), '{"version":3,"deployment":{}}', '{"version":3,"deployment":null}'])(
    "may be empty: %s",
    (text) => {
      expect(readExport(text).entries).toEqual([]);
    },
  );

  test.each(["", '{"version":3,"deploy'])("is read again where it was being written: %j", async (half) => {
    const answers = [half, exported(entry("train", "1001"))];
    const state = createExportedState(async () => {
      const answer = answers.shift() ?? "";
      if (answer === "") throw new Error("failed to load checkpoint: EOF");
      return answer;
    });
    expect(await state.entries(stack)).toMatchObject([{ id: "1001" }]);
  });

  test("is not read again where that took too long: operations with a deadline wait for it", async () => {
    let runs = 0;
    const state = createExportedState(async () => {
      runs += 1;
      // As Node ends a command whose time is up.
      throw Object.assign(new Error("Command failed"), { killed: true, signal: "SIGTERM", code: null });
    });
    expect(await state.entries(stack)).toBeUndefined();
    expect(runs).toBe(1);
  });

  describe("in the layout without projects", () => {
    const refusing = (text: string) =>
      createExportedState(async (...args) => {
        if (args.at(-1) === "dev") return text;
        throw new Error("Command failed: a stack name may only contain alphanumeric, hyphens, underscores, or periods");
      });

    test("is that of the stack's last name", async () => {
      expect(await refusing(exported(entry("train", "1001"))).entries(stack)).toMatchObject([{ id: "1001" }]);
    });

    test("is not that of another project's stack of this name", async () => {
      const foreign = entry("train", "1001", { urn: `urn:pulumi:dev::other::${type}::train` });
      expect(await refusing(exported(foreign)).entries(stack)).toBeUndefined();
    });
  });

  test("is asked once per process, however often it is needed", async () => {
    const { state, asked } = createState({ [own]: exported(entry("train", "1001")) });
    const [one, two] = await Promise.all([state.entries(stack), state.entries(stack)]);
    expect(one).toHaveLength(1);
    expect(two).toBe(one);
    expect(await state.entries(stack)).toBe(one);
    expect(asked).toEqual([own]);
  });

  test.each([
    ["fails", {}],
    ["prints no JSON", { [own]: "warning: a new version of Pulumi is available" }],
    ["prints another shape", { [own]: '{"deployment": {"resources": "none"}}' }],
  ])("is not known where the command %s", async (_, answers) => {
    expect(await createState(answers).state.entries(stack)).toBeUndefined();
  });
});

describe("What was written under another name of its stack", () => {
  const listed = "stack ls --fully-qualify-stack-names --json";
  const names = (...stacks: object[]) => JSON.stringify(stacks);
  const former = { ...stack, entry: { type: "BareMetalRental", id: "1001" } };
  const moved = exported(entry("train", "1001"), entry("other", "1002"));
  const live = "stack export --stack organization/rig/live";
  const elsewhere = "stack ls --all --fully-qualify-stack-names --json";

  test.each([
    ["is selected", up, [{ name: "organization/rig/idle" }, { name: "organization/rig/live", current: true }]],
    ["the command names", { words: ["pulumi", "up", "-s", "live"] }, [{ name: "organization/rig/live" }]],
    [
      "the command names in full",
      { words: ["pulumi", "up", "-s", "organization/rig/live"] },
      [{ name: "organization/rig/live" }],
    ],
  ])("is looked for in the stack that %s", async (_, engine, stacks) => {
    const answers = {
      [own]: exported(entry("stays", "1003")),
      [live]: moved,
      [listed]: names(...stacks),
      [elsewhere]: names({ name: "organization/rig/live" }, { name: "organization/rig/dev" }),
    };
    const { state } = createState(answers, engine);
    expect(await state.entries(former)).toMatchObject([{ id: "1001" }, { id: "1002" }]);
    expect(await state.elsewhere(former)).toMatchObject([{ id: "1003" }]);
    expect(await state.isWhole(former)).toBe(true);
    expect(await state.entries(stack)).toMatchObject([{ id: "1003" }]);
  });

  test("is not looked for while that stack has it, nor found in one that does not", async () => {
    const here = createState({ [own]: exported(entry("train", "1001")) }, up);
    expect(await here.state.entries(former)).toMatchObject([{ id: "1001" }]);
    expect(here.asked).toEqual([own]);
    const nowhere = {
      [own]: exported(),
      [live]: exported(),
      [listed]: names({ name: "organization/rig/live", current: true }),
    };
    expect(await createState(nowhere, up).state.entries(former)).toEqual([]);
    expect(await createState({ [own]: exported() }, up).state.entries(former)).toEqual([]);
  });
});

test("The state of this moment is exported anew, and what was asked first stays as it was", async () => {
  const texts = [exported(entry("train", "1001")), exported(entry("train", "1001"), entry("more", "1002"))];
  const state = createExportedState(async () => texts.shift() ?? "");
  const idsOf = async (options?: object) => (await state.entries(stack, options))?.map(({ id }) => id);
  expect(await idsOf()).toEqual(["1001"]);
  expect(await idsOf({ now: true })).toEqual(["1001", "1002"]);
  expect(await idsOf()).toEqual(["1001"]);
});

describe("The creates that earlier runs have left in the state", () => {
  const { urn } = entry("train", "");
  const creating = (inputs: object, more: object = {}) => ({
    type: "creating",
    resource: { urn, type, inputs },
    ...more,
  });
  const withPending = (...pending_operations: object[]) => JSON.stringify({ deployment: { pending_operations } });
  /** As the state has one of `train`. */
  const leftWith = (asked: object) => ({ urn, asked });
  const chosen = { label: "chosen", isMade: false };
  const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "x" };

  test("are all but the first: that is the create which asks. What is secret is left out, and named", async () => {
    const foreign = { type: "creating", resource: { urn: entry("other", "").urn, inputs: {} } };
    const left = creating({ gpuCount: 8, label: secret });
    const text = withPending(foreign, creating({ gpuCount: 16 }), creating({}, { type: "updating" }), left);
    expect(await createState({ [own]: text }).state.interrupted(stack, urn, chosen)).toEqual([
      { ...leftWith({ gpuCount: 8 }), secrets: ["label"] },
    ]);
    expect(await createState({ [own]: withPending(creating({})) }).state.interrupted(stack, urn, chosen)).toEqual([]);
    expect(await createState({ [own]: withPending(creating({})) }).state.interrupted(stack, urn, undefined)).toEqual([
      leftWith({}),
    ]);
  });

  test("are those of the resource under its type of the plugin, too, and keep the URN that the state has", async () => {
    const native = urn.replace(type, "gpufleet:index:BareMetalRental");
    expect(native).not.toBe(urn);
    const text = withPending(creating({ gpuCount: 8 }));
    expect(await createState({ [own]: text }).state.interrupted(stack, native, undefined)).toEqual([
      leftWith({ gpuCount: 8 }),
    ]);
  });

  test("are all where the engine writes nothing before the end", async () => {
    const environment = { PULUMI_SKIP_CHECKPOINTS: "true" };
    const state = createExportedState(async () => withPending(creating({ gpuCount: 8 })), environment);
    expect(await state.interrupted(stack, urn, chosen)).toEqual([leftWith({ gpuCount: 8 })]);
  });

  test.each([chosen, undefined])("are not known where the command of an engine fails (own: %j)", async (mine) => {
    await expect(createState({}, up).state.interrupted(stack, urn, mine)).rejects.toThrow("exit 255");
    expect(await createState({}).state.interrupted(stack, urn, mine)).toEqual([]);
  });

  const [mine, left, settled] = ["mine", "left", "train"].map((name) => `${name}-5tsb35-3jbbkw2u-exuv5e`);

  /** A state that has the outcome of one of these. */
  const settledBy = (pending_operations: object[]) => {
    const resources = [entry("train", "1001", { outputs: { label: settled } })];
    return JSON.stringify({ deployment: { resources, pending_operations } });
  };

  test("are those of any resource where that is asked", async () => {
    const foreign = { type: "creating", resource: { urn: entry("other", "").urn, inputs: { gpuCount: 1 } } };
    const { state } = createState({ [own]: withPending(foreign, creating({ gpuCount: 8 })) }, up);
    expect(await state.interrupted(stack, undefined, undefined)).toEqual([
      { urn: entry("other", "").urn, asked: { gpuCount: 1 } },
      leftWith({ gpuCount: 8 }),
    ]);
  });

  test("are told from the present one by a label that this run has made: one export is enough", async () => {
    const text = settledBy([mine, left, settled].map((label) => creating({ label })));
    const { state, asked } = createState({ [own]: text }, up);
    const made = { label: mine, isMade: true };
    expect(await state.interrupted(stack, urn, made)).toEqual([leftWith({ label: left })]);
    expect(await state.interrupted(stack, urn, made)).toEqual([leftWith({ label: left })]);
    await state.entries(stack);
    expect(asked).toEqual([own]);
  });

  test.each([
    ["the program has chosen", { words: ["pulumi", "up"] }, false],
    ["a saved plan makes anew (--plan FILE)", { words: ["pulumi", "up", "--plan", "plan.json"] }, true],
    ["a saved plan makes anew (--plan=FILE)", { words: ["pulumi", "up", "--plan=plan.json"] }, true],
    ["an unknown command has made", undefined, true],
  ])("are counted where they may have the same label: one that %s", async (_, engine, isMade) => {
    const interruptedIn = (...labels: (string | undefined)[]) =>
      createState({ [own]: settledBy(labels.map((label) => creating({ label }))) }, engine).state.interrupted(
        stack,
        urn,
        {
          label: mine,
          isMade,
        },
      );
    expect(await interruptedIn(mine, mine)).toEqual([leftWith({ label: mine })]);
    expect(await interruptedIn(mine, settled)).toEqual([]);
    expect(await interruptedIn(mine)).toEqual([]);
  });

  test("are read from an export that began after the question; all who ask meanwhile share the next", async () => {
    const finish: (() => void)[] = [];
    const state = createExportedState(async () => {
      await new Promise<void>((resolve) => finish.push(resolve));
      return withPending();
    });
    const settled = () => new Promise((resolve) => setImmediate(resolve));
    const first = [state.interrupted(stack, urn, chosen), state.interrupted(stack, urn, chosen)];
    await settled();
    const second = [state.interrupted(stack, urn, chosen), state.interrupted(stack, urn, chosen)];
    await settled();
    expect(finish).toHaveLength(1);
    finish[0]?.();
    await Promise.all(first);
    await settled();
    expect(finish).toHaveLength(2);
    finish[1]?.();
    await Promise.all(second);
  });
});

describe("The other stacks of the backend", () => {
  const list = "stack ls --all --fully-qualify-stack-names --json";

  test("are those of other names, each asked once; what cannot be exported holds nothing", async () => {
    const names = ["organization/rig/dev", "organization/rig/prod", "organization/other/dev", "organization/broken/x"];
    const { state, asked } = createState({
      [list]: JSON.stringify(names.map((name) => ({ name }))),
      "stack export --stack organization/rig/prod": exported(entry("a", "1")),
      "stack export --stack organization/other/dev": exported(entry("b", "2")),
    });
    expect((await state.elsewhere(stack)).map(({ id }) => id)).toEqual(["1", "2"]);
    await state.elsewhere(stack);
    expect(asked).not.toContain(own);
    expect(await state.isWhole(stack)).toBe(false);
    expect(asked.filter((command) => command === list)).toHaveLength(1);
  });

  test("are known in full where each can be exported, this one among them, and where they are not too many", async () => {
    const some = (count: number) => Array.from({ length: count }, (_, index) => `organization/rig/other-${index}`);
    const answers = (names: readonly string[]) => ({
      [own]: exported(),
      [list]: JSON.stringify(["organization/rig/dev", ...names].map((name) => ({ name }))),
      ...Object.fromEntries(names.map((name) => [`stack export --stack ${name}`, exported()])),
    });
    const isWhole = (given: Record<string, string>) => createState(given).state.isWhole(stack);
    expect(await isWhole(answers(some(2)))).toBe(true);
    expect(await isWhole(answers(some(51)))).toBe(false);
    const { [own]: _, ...others } = answers(some(2));
    expect(await isWhole(others)).toBe(false);
  });

  test.each([
    ["of another organization", { ...stack, organization: "acme" }, ["ada/rig/dev", "acme/rig/dev"], "ada/rig/dev"],
    ["in the layout without projects", stack, ["dev", "prod"], "prod"],
    [
      "where the organization is not known",
      { ...stack, organization: "" },
      ["acme/rig/dev", "acme/x/dev"],
      "acme/x/dev",
    ],
  ])("are told from this one %s", async (_, name, names, other) => {
    const { state, asked } = createState({ [list]: JSON.stringify(names.map((one) => ({ name: one }))) });
    await state.elsewhere(name);
    expect([...new Set(asked)]).toEqual([list, `stack export --stack ${other}`]);
  });

  test.each([
    ["fails", {}],
    ["prints no JSON", { [list]: "warning: a new version of Pulumi is available" }],
    ["prints another shape", { [list]: "{}" }],
  ])("are none where the command %s", async (_, answers) => {
    expect(await createState(answers).state.elsewhere(stack)).toEqual([]);
  });
});
