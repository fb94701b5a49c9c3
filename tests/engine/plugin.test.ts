import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { installPlugin } from "../../cli/commands/plugin/install";
import { createEmulator, defaults, type Emulator } from "../../emulator";
import { createClient } from "../../provider/client";
import { run as runProgram } from "../../tools/bootstrap/command";
import { root } from "../../tools/bootstrap/paths";
import { type RunningPulumi, waitUntil } from "../../tools/workspace";
import { program as everything } from "../states/program";
import { createEmulatedWorkspace, type EmulatedWorkspace, hangInList } from "./emulatedWorkspace";

const bareMetalPath = "/v2/alpha/on-demand/bare-metal-rentals";
const vmPath = "/v2/alpha/on-demand/virtual-machine-rentals";
const billing = (emulator: Emulator) => emulator.state().filter((one) => one.billing);

const succeeds = async (run: Promise<{ code: number | null; output: string }>) => {
  const { code, output } = await run;
  if (code !== 0) throw new Error(`exited with ${code}:\n${output}`);
  return output;
};

const program = (body: string, from = "pulumi-gpufleet/native") => `
  const pulumi = require("@pulumi/pulumi");
  const g = require(${JSON.stringify(from)});
  const rental = { networkType: "infiniband", gpuCount: 8 };
  ${body}
`;

describe("The plugin on the real engine", () => {
  let emulated: EmulatedWorkspace;

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({ program: "", plugin: true, env: { GPUFLEET_RECONCILE_SECONDS: "1" } });
  });

  afterAll(() => emulated.dispose());

  test("carries out a plan with automatic labels, finds all unchanged, refreshes", async () => {
    const { workspace, emulator } = emulated;
    workspace.writeProgram(
      program(`const train = new g.BareMetalRental("train", rental);
        exports.id = train.id; exports.status = train.status; exports.label = train.label;`),
    );
    await succeeds(workspace.preview("--save-plan", "plan.json"));
    await succeeds(workspace.up("--plan", "plan.json"));
    expect(await workspace.outputs()).toEqual({
      id: "1001",
      status: "Running",
      label: billing(emulator)[0]?.label,
    });
    await succeeds(workspace.preview("--expect-no-changes"));
    await succeeds(workspace.refresh("--expect-no-changes"));
  });

  test("explains a replacement down to the property, and carries it out", async () => {
    const { workspace, emulator } = emulated;
    workspace.writeProgram(
      program(`new g.BareMetalRental("train", { ...rental, gpuCount: 16, timeouts: { create: "20m" } });`),
    );
    const preview = await workspace.previewAsJson();
    expect(preview.steps.find(({ urn }) => urn.endsWith("::train"))?.detailedDiff).toEqual({
      gpuCount: { kind: "update-replace", inputDiff: true },
      timeouts: { kind: "add", inputDiff: true },
    });
    await succeeds(workspace.up());
    expect(billing(emulator).map(({ id }) => id)).toEqual([1002]);
  });

  test("imports what exists, by the command and by the option, and refuses what it must not take", async () => {
    const { workspace, emulator, url } = emulated;
    const client = createClient({ baseUrl: url, apiKey: defaults.apiKey });
    const other = await client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, label: "by-hand" });
    const foreign = await client.createVmRental({
      networkType: "ethernet",
      gpuCount: 1,
      gpuType: "h100",
      label: "train-aaaaaa-bbbbbbbb-cccccc",
    });
    const importing = (type: string, name: string, id: string | number) =>
      workspace.pulumi(
        "import",
        `gpufleet:index:${type}`,
        name,
        String(id),
        "--yes",
        "--generate-code=false",
        "--protect=false",
      );
    await succeeds(importing("BareMetalRental", "byHand", other.id));
    const wrong = await client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, label: "wrong" });
    for (const [type, id, reason] of [
      [
        "BareMetalRental",
        4711,
        `bare-metal rental 4711 does not exist at ${url}. Check the id, the address and the API key.`,
      ],
      [
        "BareMetalRental",
        1002,
        "cannot be imported: it is already managed, by urn:pulumi:test::workspace::gpufleet:index:BareMetalRental::train.",
      ],
      ["VmRental", foreign.id, "cannot be imported: its label shows that another stack created it."],
    ] as const) {
      const { code, output } = await importing(type, "no", id);
      expect(code).not.toBe(0);
      expect(output).toContain(reason);
    }
    workspace.writeProgram(
      program(`new g.BareMetalRental("train", { ...rental, gpuCount: 16, timeouts: { create: "20m" } });
        new g.BareMetalRental("byHand", { ...rental, label: "by-hand" });`),
    );
    await succeeds(workspace.preview("--expect-no-changes"));
    await client.createStorageVolume({ region: "us-central-1", sizeInGb: 1024, label: "data" });
    const volume = billing(emulator).find(({ kind }) => kind === "storage-volume");
    workspace.writeProgram(
      program(`new g.BareMetalRental("train", { ...rental, gpuCount: 16, timeouts: { create: "20m" } });
        new g.BareMetalRental("byHand", { ...rental, label: "by-hand" });
        new g.StorageVolume("data", { region: "us-central-1", sizeInGb: 1024, label: "data" }, { import: "${volume?.id}" });`),
    );
    await succeeds(workspace.up());
    expect(billing(emulator)).toHaveLength(5);
    await client.terminateRental({ rentalType: "virtual-machine", rentalId: foreign.id });
    // What no record shows is taken from the program, and what a record shows otherwise is refused before anything is imported.
    const vm = await client.createVmRental({ gpuCount: 1, label: "vm" });
    const importingBy = (id: number, more = "") =>
      program(`new g.BareMetalRental("byHand", { ...rental, label: "by-hand", cudaVersion: "cuda12.8" });
        new g.BareMetalRental("other", { ...rental, label: "by-hand-too", cudaVersion: "cuda12.8" }, { import: "${id}" });
        new g.VmRental("vm", { gpuCount: 1, label: "vm", customPorts: [8080] }, { import: "${vm.id}" });${more}`);
    workspace.writeProgram(importingBy(wrong.id));
    const refusal = `bare-metal rental ${wrong.id} cannot be imported, because it differs from the program: label is "wrong".`;
    expect(await workspace.preview()).toMatchObject({ code: 1, output: expect.stringContaining(refusal) });
    expect(await workspace.up()).toMatchObject({ output: expect.stringContaining(refusal) });
    const right = await client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, label: "by-hand-too" });
    workspace.writeProgram(importingBy(right.id));
    const corrected = await succeeds(workspace.up());
    expect(corrected).toContain(
      `bare-metal rental ${wrong.id} is left as it is, and costs $19.92/h: it was imported, and no \`pulumi up\` has completed since with a program that agrees with it`,
    );
    await succeeds(workspace.preview("--expect-no-changes"));
    const { deployment } = workspace.exportState();
    const found = deployment.resources.filter(({ type }) => /:(BareMetal|Vm)Rental$/.test(type));
    expect(found.map(({ urn, id }) => [urn.split("::").at(-1), id])).toEqual(
      expect.arrayContaining([
        ["byHand", String(other.id)],
        ["other", String(right.id)],
        ["vm", String(vm.id)],
      ]),
    );
    expect(found.flatMap(({ inputs }) => Object.keys(inputs ?? {}))).not.toContain("__imported");
    expect(billing(emulator).map(({ id }) => id)).toEqual([other.id, wrong.id, vm.id, right.id]);
    await client.terminateRental({ rentalType: "bare-metal", rentalId: wrong.id });
  });

  test("destroys everything from the state alone", async () => {
    const { workspace, emulator } = emulated;
    workspace.writeProgram("throw new Error('not to be run')");
    await succeeds(workspace.destroy());
    expect(billing(emulator)).toEqual([]);
  });

  test("carries out the plans of a fleet that comes up, grows, and is replaced while it shrinks", async () => {
    const { workspace, emulator } = emulated;
    for (const [count, gpuCount] of [
      [1, 8],
      [2, 8],
      [1, 16],
    ]) {
      workspace.writeProgram(
        program(`const fleet = new g.GpuFleet("fleet", {
          kind: "bare-metal", ...rental, count: ${count}, gpuCount: ${gpuCount}, regions: ["us-central-1"],
        });
        exports.costPerHour = fleet.costPerHour;`),
      );
      await succeeds(workspace.preview("--save-plan", "plan.json"));
      await succeeds(workspace.up("--plan", "plan.json"));
      expect(billing(emulator)).toHaveLength(count ?? 0);
      expect(await workspace.outputs()).toEqual({ costPerHour: ((count ?? 0) * (gpuCount ?? 0) * 19.92) / 8 });
    }
    await succeeds(workspace.destroy());
  });
});

describe("A run with the plugin that is broken off", () => {
  let emulated: EmulatedWorkspace;

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({
      program: program(`new g.BareMetalRental("train", rental, { customTimeouts: { create: "2s" } });
        new g.VmRental("head", { gpuCount: 1 });`),
      plugin: true,
      emulator: { provisionSeconds: 600 },
      env: { GPUFLEET_RECONCILE_SECONDS: "1" },
    });
  });

  afterAll(() => emulated.dispose());

  const rented = (count: number) => waitUntil(`${count} are rented`, () => billing(emulated.emulator).length === count);

  test("ends its waits at the first ^C, and keeps every id; customTimeouts limit a create", async () => {
    const { workspace, emulator } = emulated;
    const running = workspace.start("up", "--yes", "--skip-preview");
    await rented(2);
    await running.waitForOutput(/train \*\*creating failed/);
    // While the list that the wait asks for has no answer, only what ignores ^C sends something.
    await hangInList(emulator, vmPath);
    const sent = emulator.requests().total;
    const interrupted = Date.now();
    running.interrupt();
    const { code, output } = await running.finished;
    expect(Date.now() - interrupted).toBeLessThan(5000);
    expect(code).not.toBe(0);
    expect(output).toMatch(
      /creating BareMetalRental "train": still Pending after \d+s\. It is in the state with id \d+\./,
    );
    expect(output).toMatch(
      /creating VmRental "head": cancelled; no further requests are sent\. It is in the state with id \d+\./,
    );
    expect(emulator.requests().total).toBe(sent);
    emulator.faults.clear();
    const { deployment } = workspace.exportState();
    expect(deployment.resources?.flatMap(({ id }) => id ?? [])).toEqual(expect.arrayContaining(["1001", "1002"]));
    await succeeds(workspace.destroy());
    expect(billing(emulator)).toEqual([]);
  });

  test("keeps the id of what is just being rented when something in the plugin throws where nobody catches it", async () => {
    const { workspace, emulator } = emulated;
    const preload = join(workspace.folder, "throwAtSignal.js");
    writeFileSync(
      preload,
      `if (process.argv[1]?.endsWith("pulumi-resource-gpufleet"))
        process.on("SIGUSR2", () => { throw new Error("a mistake in the plugin"); });`,
    );
    const post = { method: "POST", path: bareMetalPath };
    emulator.faults.add({ match: post, kind: "delay", when: "after", ms: 3000 });
    workspace.writeProgram(program(`new g.BareMetalRental("surprised", rental);`));
    const { NODE_OPTIONS: usual } = workspace.env;
    workspace.env["NODE_OPTIONS"] = `${usual} --require ${preload}`;
    try {
      const running = workspace.start("up", "--yes", "--skip-preview");
      await rented(1);
      for (const id of workspace.providers()) process.kill(id, "SIGUSR2");
      const { code, output } = await running.finished;
      expect(code).not.toBe(0);
      expect(output).toMatch(/the provider has failed: a mistake in the plugin; .*It is in the state with id \d+\./);
    } finally {
      workspace.env["NODE_OPTIONS"] = usual;
    }
    const { deployment } = workspace.exportState();
    expect(deployment.resources?.map(({ id }) => id)).toContain(String(billing(emulator)[0]?.id));
    await succeeds(workspace.destroy());
    expect(billing(emulator)).toEqual([]);
  });

  test.each([
    ["engine", (running: RunningPulumi) => running.kill()],
    [
      "plugin",
      async (running: RunningPulumi) => {
        for (const id of emulated.workspace.providers()) process.kill(id, "SIGKILL");
        await running.finished;
      },
    ],
  ])("loses nothing when the %s is killed: recover brings back what was rented", async (victim, kill) => {
    const { workspace, emulator } = emulated;
    workspace.writeProgram(program(`new g.BareMetalRental("${victim}", rental);`));
    const running = workspace.start("up", "--yes", "--skip-preview");
    await rented(1);
    await hangInList(emulator, bareMetalPath);
    await kill(running);
    await waitUntil("no provider is left", () => workspace.providers().length === 0, 25);
    emulator.faults.clear();
    const [machine] = billing(emulator);
    emulator.clock.advance(1000);
    const recover = (...flags: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
      runProgram(process.execPath, [join(root, "bin", "gpufleet"), "recover", ...flags], {
        cwd: workspace.folder,
        env: workspace.env,
        output: "capture",
      });
    const found = await recover();
    expect({ ...found, code: found.code }).toMatchObject({ code: 0 });
    // The engine keeps a record of a create that it was killed in, and none of one whose provider was.
    const adoption = /gpufleet recover --adopt (\d+) --urn '(.*)'/.exec(found.stdout);
    if (adoption)
      expect(await recover("--adopt", adoption[1] ?? "", "--urn", adoption[2] ?? "")).toMatchObject({ code: 0 });
    const { deployment } = workspace.exportState();
    const entry = deployment.resources.find(({ id }) => id === String(machine?.id));
    expect(entry?.outputs).toMatchObject({ rentalId: machine?.id, sshConfig: expect.any(String) });
    await succeeds(workspace.up("--refresh", "--expect-no-changes"));
    expect(billing(emulator)).toMatchObject([{ id: machine?.id }]);
    await succeeds(workspace.destroy());
    expect(billing(emulator)).toEqual([]);
  });
});

describe("A stack of dynamic resources", () => {
  let emulated: EmulatedWorkspace;

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({
      program: everything,
      plugin: true,
      env: { GPUFLEET_RECONCILE_SECONDS: "1" },
    });
  });

  afterAll(() => emulated.dispose());

  test("moves to the plugin and back with nothing replaced, fleets included", async () => {
    const { workspace, emulator } = emulated;
    await succeeds(workspace.up());
    const before = billing(emulator).map(({ id, label }) => ({ id, label }));
    workspace.writeProgram(everything.replace('"pulumi-gpufleet"', '"pulumi-gpufleet/native"'));
    await succeeds(workspace.up("--expect-no-changes"));
    await succeeds(workspace.refresh());
    await succeeds(workspace.preview("--expect-no-changes"));
    workspace.writeProgram(everything);
    // What the plugin has written lacks what the host of dynamic resources runs, and is written anew.
    const back = await workspace.up();
    expect({ code: back.code, ...back.summary }).toMatchObject({ code: 0, created: 0, replaced: 0, deleted: 0 });
    await succeeds(workspace.preview("--expect-no-changes"));
    expect(billing(emulator).map(({ id, label }) => ({ id, label }))).toEqual(before);
    // A program in another language, or with a generated SDK, derives nothing itself.
    workspace.writeProgram(program(`new g.BareMetalRental("train", rental);`, "pulumi-gpufleet"));
    await succeeds(workspace.up());
    const [machine] = billing(emulator);
    workspace.writeProgram(`
      const pulumi = require("@pulumi/pulumi");
      const aliases = [{ type: "pulumi-nodejs:dynamic/gpufleet:BareMetalRental" }];
      const properties = { networkType: "infiniband", gpuCount: 8, rentalId: undefined, sshConfig: undefined };
      const train = new pulumi.CustomResource("gpufleet:index:BareMetalRental", "train", properties, { aliases });
      exports.rentalId = train.rentalId; exports.sshConfig = train.sshConfig;`);
    const plain = await workspace.up();
    expect({ code: plain.code, ...plain.summary }).toMatchObject({ code: 0, updated: 1, replaced: 0, deleted: 0 });
    expect(await workspace.outputs()).toEqual({
      rentalId: machine?.id,
      sshConfig: expect.stringContaining("Host train"),
    });
    await succeeds(workspace.preview("--expect-no-changes"));
    await succeeds(workspace.destroy());
    expect(billing(emulator)).toEqual([]);
  });
});

describe("Two accounts with the plugin, installed by the command", () => {
  let emulated: EmulatedWorkspace;
  let other: Emulator;
  const otherKey = "key-of-the-other-account";

  beforeAll(async () => {
    other = createEmulator({ provisionSeconds: 0, endSeconds: 0, apiKey: otherKey });
    const { url } = await other.listen();
    emulated = await createEmulatedWorkspace({
      program: program(`
        const other = new g.Provider("other", { baseUrl: ${JSON.stringify(url)}, apiKey: "${otherKey}", maxCostPerHour: 30 });
        new g.BareMetalRental("here", rental);
        const there = new g.BareMetalRental("there", rental, { provider: other });
        const bound = new g.VmRental("bound", { gpuCount: 1, label: pulumi.secret("hush") }, { provider: other });
        exports.id = there.id;`),
      env: { GPUFLEET_RECONCILE_SECONDS: "1" },
    });
    installPlugin(emulated.workspace.env, join(root, "dist", "plugin"));
    emulated.workspace.env["GPUFLEET_BASE_URL"] = emulated.url;
  });

  afterAll(async () => {
    await emulated.dispose();
    await other.close();
  });

  test("are each used as their provider says, and no secret is stored in clear text", async () => {
    const { workspace, emulator } = emulated;
    await succeeds(workspace.up());
    expect(billing(emulator)).toHaveLength(1);
    expect(billing(other)).toHaveLength(2);
    const { stdout } = await workspace.pulumi("stack", "export");
    expect(stdout).not.toContain(otherKey);
    expect(stdout).not.toContain("hush");
    await succeeds(workspace.preview("--expect-no-changes"));
    workspace.writeProgram(program(`new g.Provider("other", { baseUrl: "ftp://nowhere" });`));
    const refused = await workspace.preview();
    expect(refused.output).toContain("baseUrl");
    await succeeds(workspace.destroy());
    expect([...billing(emulator), ...billing(other)]).toEqual([]);
  });
});
