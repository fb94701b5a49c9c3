import type { Dependent, StateEntry } from "../../provider/lifecycle";
import { endInConsole } from "../faults/simulation/console";
import { FakeEngine, type Program } from "../lifecycle/fakeEngine";
import { createRig, paths } from "../lifecycle/rig";
import { changingList, type Wire } from "../lifecycle/wire";

const node = (gpuCount: number) => ({ type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount } });
const data = { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } };
type Ids = Readonly<Record<string, string>>;
/** The volume names its rentals itself, or an attachment does. */
const forms = {
  attachment: (...names: string[]): Program => ({
    data,
    link: {
      type: "VolumeAttachment",
      inputs: (ids: Ids) => ({
        storageVolumeId: Number(ids["data"]),
        rentalIds: names.map((name) => Number(ids[name])),
      }),
    },
  }),
  volume: (...names: string[]): Program => ({
    data: {
      type: "StorageVolume",
      inputs: (ids: Ids) => ({ ...data.inputs, rentalIds: names.map((name) => Number(ids[name])) }),
    },
  }),
};
type Form = keyof typeof forms;
/** A rental, and a volume that names it and has this time to be deleted. */
const withTimeout = (time: string): Program => ({
  a: node(8),
  data: {
    type: "StorageVolume",
    inputs: ({ a }: Ids) => ({ ...data.inputs, rentalIds: [Number(a)], timeouts: { delete: time } }),
  },
});

const status = (code: number, body: unknown) => ({ kind: "status" as const, status: code, body });
const refusal = "volume 1 cannot be detached while rental 1001 is running";
const answers = {
  "400": {
    ...status(400, { message: refusal }),
    says: `the service refused to detach it: POST ${paths.detach} answered 400: ${refusal}`,
  },
  "403": { ...status(403, { message: refusal }), says: "the service refused to detach it: " },
  "200 without effect": {
    ...status(200, {}),
    says: "the service accepted 3 times to detach volume 1 from rental 1001, but still lists it as attached",
  },
  "500 each time": { ...status(500, { message: "oops" }), says: "the service does not answer a detach: " },
};
type Answer = keyof typeof answers;

const cases = (Object.keys(forms) as Form[]).flatMap((form) =>
  (Object.keys(answers) as Answer[]).map((answer) => [form, answer] as const),
);

describe("A volume that the service does not detach while the rental runs", () => {
  async function attached(form: Form, answer: Answer, ...names: [string, ...string[]]) {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const rentals: Program = Object.fromEntries(names.map((name) => [name, node(8)]));
    expect((await stack.up({ ...rentals, ...forms[form](...names) })).errors).toEqual({});
    const { says: _, ...fault } = answers[answer];
    rig.fault({ match: { method: "POST", path: paths.detach }, times: 999, ...fault });
    return { rig, stack, rentals };
  }

  test.each(cases)("(%s, answered %s) does not hold up a destroy: it ends with its rental", async (form, answer) => {
    const { rig, stack } = await attached(form, answer, "a");
    const { errors, provider } = await stack.destroy();
    expect(errors).toEqual({});
    expect(provider.shown.filter(({ kind }) => kind === "warning").map(({ text }) => text)).toContainEqual(
      expect.stringMatching(
        new RegExp(
          `^volume 1 stays attached to 1001, because .*${escaped(answers[answer].says)}.*; the attachment ends with the rental$`,
        ),
      ),
    );
    expect(rig.billing()).toEqual([]);
    expect(stack.state.size).toBe(0);
  });

  test.each(cases)(
    "(%s, answered %s) stays where the rental stays, and the error says what can be done",
    async (form, answer) => {
      const { rig, stack, rentals } = await attached(form, answer, "a");
      const { errors } = await stack.up(rentals);
      const [name, error] = Object.entries(errors)[0] ?? [];
      expect(name).toBe(form === "volume" ? "data" : "link");
      if (answer !== "500 each time") expect(error).toContain("detach it in the service's console and run this again");
      // It would bill on without anybody who knows of it.
      if (form === "volume") expect(error).not.toContain("state delete");
      expect(stack.state.has(String(name))).toBe(true);
      expect(rig.billing()).toHaveLength(2);
    },
  );

  test.each(cases)("(%s, answered %s) moves to the rental that replaces its own", async (form, answer) => {
    const { rig, stack } = await attached(form, answer, "a");
    const { errors } = await stack.up({ a: node(16), ...forms[form]("a") });
    expect(errors).toEqual({});
    expect(rig.billing()).toHaveLength(2);
    expect((await rig.run(rig.client.listStorageVolumes()))[0]?.attachedRentals).toEqual([Number(stack.get("a").id)]);
  });

  test("ends no rental in an up, which the program may have although nothing has shown it yet", async () => {
    const { rig, stack } = await attached("volume", "400", "a");
    const begun = rig.clock.now();
    const { errors } = await stack.up({});
    expect(errors["data"]).toContain(
      `${refusal}. It stays in the state: detach it in the service's console, or terminate rental 1001 there, and run this again. A \`pulumi destroy\` of the whole stack terminates that first.`,
    );
    // The rental's turn comes only after it: there is nothing to wait for.
    expect(rig.clock.now() - begun).toBeLessThan(60_000);
    expect(rig.count("POST", paths.endBareMetal)).toBe(0);
    await rig.run(endInConsole(rig.client, "BareMetalRental", "1001"));
    rig.clock.advance(600);
    expect((await stack.up({})).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("says in an up at once what can be done where the service has no detach operation", async () => {
    const rig = createRig({ emulator: { dialect: "none" } });
    const stack = new FakeEngine(rig);
    expect((await stack.up({ a: node(8), ...forms.volume("a") })).errors).toEqual({});
    const begun = rig.clock.now();
    const { errors } = await stack.up({});
    expect(errors["data"]).toMatch(
      /volume \d+ is attached to rental 1001, and the service has no detach operation\. It stays in the state: detach it in the service's console, or terminate rental 1001 there, and run this again\./,
    );
    expect(rig.clock.now() - begun).toBeLessThan(60_000);
  });

  test("goes in an up that ends its rental beside it, where it does not depend on that", async () => {
    const { rig, stack, rentals } = await attached("volume", "400", "a");
    const apart = { data: { ...data, inputs: { ...data.inputs, rentalIds: [1001] } } };
    expect((await stack.up({ ...rentals, ...apart })).errors).toEqual({});
    expect((await stack.up({})).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("goes on asking in an up, where replies are lost for a while", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    expect((await stack.up({ a: node(8), ...forms.volume("a") })).errors).toEqual({});
    rig.fault({ match: { method: "POST", path: paths.detach }, times: 5, ...status(500, { message: "oops" }) });
    expect((await stack.up({})).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  const command = "urn:pulumi:test::rig::command:remote:Command::save";
  /** Depends on the rental, and may be under way when the volume's turn comes. */
  const withCommand = (
    stack: FakeEngine,
    isThere: () => boolean,
    {
      isUnderWay = true,
      isBeforeVolume = false,
      isLate = false,
      isBusy = () => false,
      dependent = {},
    }: {
      isUnderWay?: boolean;
      isBeforeVolume?: boolean;
      /** Whether the engine deletes the command after the volume. */
      isLate?: boolean;
      /** Whether the engine is deleting something else. */
      isBusy?: () => boolean;
      dependent?: Partial<Dependent>;
    } = {},
  ) => {
    const dependentsOf = stack.dependentsOf.bind(stack);
    const volume = stack.urn("StorageVolume", "data");
    stack.dependentsOf = (urns) => {
      const others = isThere() && !urns.includes(command) ? [{ urn: command, ...dependent }] : [];
      const after = isBeforeVolume && urns.includes(command) ? [{ urn: volume }] : [];
      return [...dependentsOf(urns), ...others, ...after];
    };
    stack.roundOf = (urn) => (isLate && urn === command ? 0 : 1);
    const underWay = () => [
      volume,
      ...(isUnderWay && isThere() ? [command] : []),
      ...(isBusy() ? [`${command}-other`] : []),
    ];
    Object.defineProperty(stack, "beingDeleted", { get: underWay });
  };
  const must = "rental 1001 must end before the volume can be deleted, and before that save must go";
  const isNotDeleting = `${must}, and Pulumi is not deleting that. Delete it first (\`pulumi destroy --target '${command}' --target-dependents\`), then run this again`;

  test("does not end the rental before what else depends on it has gone", async () => {
    const { rig, stack } = await attached("volume", "400", "a");
    const goneAt = rig.clock.now() + 120_000;
    withCommand(stack, () => rig.clock.now() < goneAt);
    const provider = rig.startProvider();
    const { errors } = await stack.destroy({ provider });
    expect(errors).toEqual({});
    expect(rig.billing()).toEqual([]);
    expect(rig.clock.now()).toBeGreaterThan(goneAt);
    expect(provider.shown.map(({ text }) => text)).toContain(must);
  });

  test("says what keeps the rental, if that takes too long", async () => {
    const { rig, stack } = await attached("volume", "400", "a");
    withCommand(stack, () => true);
    const { errors } = await stack.destroy();
    expect(errors["data"]).toContain(must);
    expect(errors["data"]).toContain("Run the same command again to continue waiting");
    expect(rig.billing()).toHaveLength(2);
  });

  test("does not wait for what goes only after it, and says how to go on", async () => {
    const { rig, stack } = await attached("volume", "400", "a");
    withCommand(stack, () => true, { isUnderWay: false, isLate: true, isBusy: () => true });
    const begun = rig.clock.now();
    const { errors } = await stack.destroy();
    expect(errors["data"]).toContain(isNotDeleting);
    expect(errors["data"]).not.toContain("--parallel");
    expect(rig.clock.now() - begun).toBeLessThan(60_000);
    expect(rig.billing()).toHaveLength(2);
  });

  test("waits for the engine to begin with it, as long as that is busy with something else", async () => {
    const { rig, stack } = await attached("volume", "400", "a");
    const [begunAt, goneAt] = [rig.clock.now() + 120_000, rig.clock.now() + 130_000];
    withCommand(stack, () => rig.clock.now() < goneAt, {
      isUnderWay: false,
      isBusy: () => rig.clock.now() < begunAt,
    });
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.clock.now()).toBeGreaterThan(goneAt);
    expect(rig.billing()).toEqual([]);
  });

  test("says what may help where all workers of the engine only wait", async () => {
    const { rig, stack } = await attached("volume", "400", "a");
    withCommand(stack, () => true, { isUnderWay: false });
    const { errors } = await stack.destroy();
    expect(errors["data"]).toContain(`${isNotDeleting}, or run this again with a larger \`--parallel\``);
    expect(rig.billing()).toHaveLength(2);
  });

  test("does not guess what has gone where the engine does not write it down", async () => {
    const { rig, stack } = await attached("volume", "400", "a");
    stack.isCurrent = false;
    withCommand(stack, () => true);
    const { errors } = await stack.destroy();
    expect(errors["data"]).toContain(
      `${must}. Whether that has gone, nothing shows with PULUMI_SKIP_CHECKPOINTS: unset it and run this again`,
    );
    expect(rig.billing()).toHaveLength(2);
  });

  test.each<[string, Partial<Dependent>]>([
    ["something", {}],
    ["a component", { isComponent: true }],
  ])("ends no rental that %s depends on which is protected: the engine leaves that one, too", async (_, dependent) => {
    const { rig, stack } = await attached("volume", "400", "a");
    withCommand(stack, () => true, { dependent: { ...dependent, isProtected: true } });
    expect((await stack.destroy()).errors["data"]).toMatch(/detach it in the service's console and run this again\.$/);
    expect(rig.billing()).toHaveLength(2);
  });

  test("ends nothing while it is not known what depends on the rental", async () => {
    const { rig, stack } = await attached("volume", "400", "a");
    const provider = rig.startProvider();
    const run = stack.destroy({ provider });
    provider.state = { ...provider.state, dependencies: async () => undefined };
    const { errors } = await run;
    expect(errors["data"]).toContain("which is not known because `pulumi stack export` failed. Run this again");
    expect(rig.billing()).toHaveLength(2);
  });

  test("does not wait for what it depends on itself", async () => {
    const { rig, stack } = await attached("volume", "400", "a");
    withCommand(stack, () => true, { isUnderWay: false, isBeforeVolume: true });
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("has the time that it was given, whatever detaching took", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    expect((await stack.up(withTimeout("2m"))).errors).toEqual({});
    rig.fault({ match: { method: "POST", path: paths.detach }, times: 999, ...status(200, {}) });
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("gives a rental the time that customTimeouts give it", async () => {
    const rig = createRig({ emulator: { endSeconds: 40 * 60 } });
    const stack = new FakeEngine(rig);
    expect((await stack.up(withTimeout("1h"))).errors).toEqual({});
    rig.fault({ match: { method: "POST", path: paths.detach }, times: 999, ...status(400, { message: refusal }) });
    const entries = stack.entries.bind(stack);
    stack.entries = () => entries().map((entry) => ({ ...entry, deleteSeconds: 3600 }));
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("(attachment) stays where another provider has the rental, whose process alone knows the program", async () => {
    const { rig, stack } = await attached("attachment", "400", "a");
    const entries = stack.entries.bind(stack);
    const providers = { BareMetalRental: "gpufleet::default_0_1_0", VolumeAttachment: "pulumi-nodejs::default" };
    const providerOf = (type: string) => `urn:pulumi:test::rig::pulumi:providers:${Reflect.get(providers, type)}`;
    stack.entries = () => entries().map((entry) => ({ ...entry, provider: providerOf(entry.type) }));
    const { errors } = await stack.up({ data });
    expect(errors["link"]).toContain("detach it in the service's console");
    expect(rig.billing()).toHaveLength(2);
  });

  const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "v1:abc" };
  test.each<[string, Partial<StateEntry>]>([
    ["of which the state shows only ciphertext", { outputs: { storageVolume: secret } }],
    ["that was imported, and never agreed with", { isImported: true }],
    ["that is not to be deleted", { isKept: true }],
    ["for whose end the program is run", { hasDeleteHooks: true }],
  ])("does not end a rental %s", async (_, shown) => {
    const { rig, stack } = await attached("volume", "400", "a");
    const asShown = (entry: StateEntry) =>
      entry.type === "BareMetalRental"
        ? { ...entry, ...shown, outputs: { ...entry.outputs, ...shown.outputs } }
        : entry;
    const entries = stack.entries.bind(stack);
    stack.entries = () => entries().map(asShown);
    expect((await stack.destroy()).errors["data"]).toMatch(/detach it in the service's console and run this again\.$/);
    expect(rig.billing()).toHaveLength(2);
  });

  test("ends nothing once its engine is gone", async () => {
    const { rig, stack } = await attached("volume", "400", "a");
    const provider = rig.startProvider();
    provider.engineLives = false;
    expect((await stack.destroy({ provider })).errors["data"]).toBeDefined();
    expect(rig.billing()).toHaveLength(2);
  });

  test("has its own time when a rental took longer to end than it has", async () => {
    const rig = createRig({ emulator: { endSeconds: 15 * 60 } });
    const stack = new FakeEngine(rig);
    expect((await stack.up(withTimeout("20m"))).errors).toEqual({});
    rig.fault({ match: { method: "POST", path: paths.detach }, times: 999, ...status(400, { message: refusal }) });
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("goes with two rentals that it names, and each is ended once", async () => {
    const { rig, stack } = await attached("volume", "400", "a", "b");
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
    expect(rig.count("POST", paths.endBareMetal)).toBe(2);
  });
});

describe("A rental that ended by itself, and that the volume's record goes on naming", () => {
  const refused = {
    match: { method: "POST", path: paths.detach },
    times: 999,
    ...status(400, { message: "rental 1001 does not run" }),
  };
  const naming = changingList(paths.volumes, (items) => items.map((item) => ({ ...item, attachedRentals: [1001] })));

  async function ended(
    keepsEnded: boolean,
  ): Promise<{ stack: FakeEngine; wire: Wire; rig: ReturnType<typeof createRig> }> {
    const rig = createRig({ emulator: { dialect: keepsEnded ? "rich" : "default" } });
    const stack = new FakeEngine(rig);
    expect((await stack.up({ a: node(8), b: node(8), ...forms.attachment("a") })).errors).toEqual({});
    await rig.run(endInConsole(rig.client, "BareMetalRental", "1001"));
    rig.clock.advance(600);
    rig.fault(refused);
    return { rig, stack, wire: naming };
  }

  test.each([true, false])(
    "(listed as ended: %s) does not keep the attachment from being deleted",
    async (keepsEnded) => {
      const { rig, stack, wire } = await ended(keepsEnded);
      const provider = rig.startProvider({}, { wire });
      const { errors } = await stack.up({ a: node(8), b: node(8), data }, { provider });
      expect(errors).toEqual({});
      expect(provider.shown.map(({ text }) => text)).toContainEqual(
        expect.stringContaining(
          "rental 1001 ended, so volume 1 counts as detached there, although the service did not detach it",
        ),
      );
      expect(stack.state.has("link")).toBe(false);
    },
  );
});

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
