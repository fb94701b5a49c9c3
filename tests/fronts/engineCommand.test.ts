import {
  findEngine,
  isDestroyOfAll,
  isImportCommand,
  isRefreshAtOnce,
  type RunningProcess,
  scopeOfRun,
  stackIn,
} from "../../provider/fronts/engineCommand";

const runsWith = (env: NodeJS.ProcessEnv, ...commands: string[]) => {
  const processes = commands.map((command, index): [number, RunningProcess] => [
    index + 1,
    { parent: index + 2, words: command.split(" ") },
  ]);
  const known = new Map(processes);
  return scopeOfRun(1, async (pid) => known.get(pid), env);
};
const runs = (...commands: string[]) => runsWith({}, ...commands);

describe("A run", () => {
  test.each([
    "pulumi up --target urn:x",
    "/opt/bin/pulumi up --yes --target=urn:x",
    "pulumi up -yt urn:x",
    "pulumi up -t urn:x",
    "pulumi up --target-replace urn:x",
    "pulumi.exe up --exclude urn:x",
    "pulumi destroy -x urn:x",
    "pulumi destroy -yfx urn:x",
    "pulumi destroy -yrt**f-0",
    "pulumi destroy --target ** --target-dependents",
    "pulumi destroy --exclude-protected",
  ])("is limited to a part of the stack: %s", async (command) => {
    expect(await runs(command)).toBe("partial");
    expect(await runs("/bin/sh /opt/bin/pulumi-resource-pulumi-nodejs 127.0.0.1:1", command)).toBe("partial");
  });

  test.each([
    "pulumi up --yes",
    "pulumi up --stack test",
    "pulumi up -stest",
    "pulumi up -mtext",
    "pulumi destroy --target-dependents",
  ])("is about the whole stack: %s", async (command) => {
    expect(await runs(command)).toBe("whole");
  });

  test.each(["TARGET", "TARGET_REPLACE", "EXCLUDE", "EXCLUDE_PROTECTED"])(
    "is limited by the environment, where every option can be given: PULUMI_OPTION_%s",
    async (name) => {
      expect(await runsWith({ [`PULUMI_OPTION_${name}`]: "urn:x" }, "pulumi up --yes")).toBe("partial");
      expect(await runsWith({ [`PULUMI_OPTION_${name}`]: "" }, "pulumi up --yes")).toBe("whole");
    },
  );

  test("is unknown where its command is not found", async () => {
    expect(await runs()).toBe("unknown");
    expect(await runs("node server.js --target x")).toBe("unknown");
    expect(await runs("a", "b", "c", "d", "pulumi up --target x")).toBe("unknown");
  });

  test("is looked for among the processes of this machine", async () => {
    expect(await scopeOfRun()).toBe("unknown");
  });
});

describe("A run destroys all that the stack has", () => {
  const destroysAll = (command: string, env = {}) =>
    isDestroyOfAll(1, async (pid) => (pid === 1 ? { parent: 2, words: command.split(" ") } : undefined), env);

  test.each([
    ["pulumi destroy --yes --stack up", true],
    ["pulumi down", true],
    ["pulumi -C up --color never -Q -v=3 dn -y", true],
    ["/opt/bin/pulumi --non-interactive --cwd=up destroy --run-program", true],
    ["pulumi up --stack destroy", false],
    ["pulumi -s destroy up", false],
    ["pulumi -C destroy up", false],
    ["pulumi destroy --target urn:x", false],
    ["pulumi destroy --exclude-protected", false],
    ["pulumi refresh", false],
    ["pulumi", false],
    ["node destroy", false],
  ])("%s: %p", async (command, expected) => {
    expect(await destroysAll(command)).toBe(expected);
  });

  test.each([
    ["pulumi destroy --yes", true],
    ["pulumi -C /x/my destroy y up", false],
    ["pulumi -C /x/y destroy", false],
  ])("where words may be parts of one: %s", async (command, expected) => {
    const engine = { parent: 2, words: command.split(" "), isSplit: true };
    expect(await isDestroyOfAll(1, async (pid) => (pid === 1 ? engine : undefined), {})).toBe(expected);
  });

  test("not where its environment limits it", async () => {
    expect(await destroysAll("pulumi destroy", { PULUMI_OPTION_TARGET: "urn:x" })).toBe(false);
  });
});

test.each([
  ["pulumi import gpufleet:index:BareMetalRental train 1001 --yes", true],
  ["pulumi -C import import --file all.json", true],
  ["pulumi -s dev import gpufleet:index:BareMetalRental train 1001", true],
  ["pulumi --stack dev --non-interactive import --file all.json", true],
  ["pulumi --stack import up", false],
  ["pulumi up", false],
  ["pulumi -C import up", false],
])("%s is the command that imports: %p", async (command, expected) => {
  expect(await isImportCommand(1, async () => ({ parent: 2, words: command.split(" ") }))).toBe(expected);
});

describe("The stack of a run", () => {
  test.each(["--stack acme/dev", "--stack=acme/dev", "-s acme/dev", "-sacme/dev"])("is named by %s", (option) => {
    expect(stackIn(`pulumi up --yes ${option}`.split(" "), { PULUMI_STACK: "other" })).toBe("acme/dev");
  });

  test("is named by the environment, or is the selected one", () => {
    expect(stackIn(["pulumi", "up"], { PULUMI_STACK: "acme/dev" })).toBe("acme/dev");
    expect(stackIn(["pulumi", "up"], {})).toBeUndefined();
  });
});

test("The engine of this process is found with the file that it runs", async () => {
  const engine = { parent: 1, words: ["./pulumi", "up"], executable: "/opt/pulumi" };
  expect(await findEngine(2, async (pid) => (pid === 2 ? engine : undefined))).toEqual(engine);
  expect(await findEngine(3, async () => undefined)).toBeUndefined();
});

test.each([
  ["pulumi refresh --yes --skip-preview", {}, true],
  ["pulumi --cwd lab refresh -yf --target a", {}, true],
  ["pulumi refresh --skip-preview=true", {}, true],
  ["pulumi refresh --yes", { PULUMI_OPTION_SKIP_PREVIEW: "true" }, true],
  // Each of these looks before it does anything, or does nothing else.
  ["pulumi refresh --yes", {}, false],
  ["pulumi refresh --preview-only --skip-preview", {}, false],
  ["pulumi refresh --skip-preview", { PULUMI_OPTION_PREVIEW_ONLY: "true" }, false],
  ["pulumi preview --refresh", {}, false],
  ["pulumi up --refresh --yes --skip-preview", {}, false],
])("%s (%j) is a refresh without a preview: %s", async (command, env, expected) => {
  const engine = async () => ({ parent: 2, words: command.split(" ") });
  expect(await isRefreshAtOnce(1, engine, env)).toBe(expected);
});
