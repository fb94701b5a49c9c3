import { createExportedState, readEntries } from "../../provider/fronts/exportedState";

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
function createState(answers: Record<string, string>) {
  const asked: string[] = [];
  const state = createExportedState(async (...args) => {
    const command = args.join(" ");
    asked.push(command);
    const answer = answers[command];
    if (answer === undefined) throw new Error("exit 255");
    return answer;
  });
  return { state, asked };
}
const own = "stack export --stack organization/rig/dev";

describe("The state, as the command exports it", () => {
  test("has the entries of this package, those that are to be deleted among them, and no others", () => {
    const text = exported(
      { urn: "urn:pulumi:dev::rig::pulumi:pulumi:Stack::rig-dev", type: "pulumi:pulumi:Stack" },
      { urn: "urn:pulumi:dev::rig::aws:s3/bucket:Bucket::b", type: "aws:s3/bucket:Bucket", id: "b" },
      entry("train", "1001", { delete: true }),
      entry("train", "1002"),
      entry("read", "1003", { external: true }),
    );
    expect(readEntries(text)).toEqual([
      { urn: entry("train", "").urn, type: "BareMetalRental", id: "1001", outputs: { label: "train" } },
      { urn: entry("train", "").urn, type: "BareMetalRental", id: "1002", outputs: { label: "train" } },
    ]);
  });

  test.each([exported(), '{"version":3,"deployment":{}}', '{"version":3,"deployment":null}'])(
    "may be empty: %s",
    (text) => {
      expect(readEntries(text)).toEqual([]);
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

describe("The creates that earlier runs have left in the state", () => {
  const { urn } = entry("train", "");
  const creating = (inputs: object, more: object = {}) => ({
    type: "creating",
    resource: { urn, type, inputs },
    ...more,
  });
  const withPending = (...pending_operations: object[]) => JSON.stringify({ deployment: { pending_operations } });
  const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "x" };

  test("are all but the first: that is the create which asks. What is secret is left out", async () => {
    const foreign = { type: "creating", resource: { urn: entry("other", "").urn, inputs: {} } };
    const left = creating({ gpuCount: 8, label: secret });
    const text = withPending(foreign, creating({ gpuCount: 16 }), creating({}, { type: "updating" }), left);
    expect(await createState({ [own]: text }).state.interrupted(stack, urn, true)).toEqual([{ gpuCount: 8 }]);
    expect(await createState({ [own]: withPending(creating({})) }).state.interrupted(stack, urn, true)).toEqual([]);
    expect(await createState({ [own]: withPending(creating({})) }).state.interrupted(stack, urn, false)).toEqual([{}]);
  });

  test("are all where the engine writes nothing before the end", async () => {
    const environment = { PULUMI_SKIP_CHECKPOINTS: "true" };
    const state = createExportedState(async () => withPending(creating({ gpuCount: 8 })), environment);
    expect(await state.interrupted(stack, urn, true)).toEqual([{ gpuCount: 8 }]);
  });

  test("are none where the command fails", async () => {
    expect(await createState({}).state.interrupted(stack, urn, true)).toEqual([]);
  });

  test("are read from an export that began after the question; all who ask meanwhile share the next", async () => {
    const finish: (() => void)[] = [];
    const state = createExportedState(async () => {
      await new Promise<void>((resolve) => finish.push(resolve));
      return withPending();
    });
    const settled = () => new Promise((resolve) => setImmediate(resolve));
    const first = [state.interrupted(stack, urn, true), state.interrupted(stack, urn, true)];
    await settled();
    const second = [state.interrupted(stack, urn, true), state.interrupted(stack, urn, true)];
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
  const list = "stack ls --all --json";

  test("are those of other names, each asked once; what cannot be exported holds nothing", async () => {
    const names = ["organization/rig/dev", "organization/rig/prod", "organization/other/dev", "organization/broken/x"];
    const { state, asked } = createState({
      [list]: JSON.stringify(names.map((name) => ({ name }))),
      "stack export --stack organization/rig/prod": exported(entry("a", "1")),
      "stack export --stack organization/other/dev": exported(entry("b", "2")),
    });
    expect((await state.elsewhere(stack)).map(({ id }) => id)).toEqual(["1", "2"]);
    await state.elsewhere(stack);
    expect(asked.filter((command) => command === list)).toHaveLength(1);
    expect(asked).not.toContain(own);
  });

  test.each([
    ["fails", {}],
    ["prints no JSON", { [list]: "warning: a new version of Pulumi is available" }],
    ["prints another shape", { [list]: "{}" }],
  ])("are none where the command %s", async (_, answers) => {
    expect(await createState(answers).state.elsewhere(stack)).toEqual([]);
  });
});
