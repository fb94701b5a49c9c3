import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createEmulator, type Emulator } from "../../emulator";
import { Workspace } from "../../tools/workspace";
import { paths } from "../emulator/rig";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";
import { expectSuccess } from "./expectSuccess";

const oldKey = "old-key-7f3a9c51e2";
const newKey = "new-key-b81d4406aa";
const program = (gpuCount: number) => `
  const { BareMetalRental, StorageVolume } = require("pulumi-gpufleet");
  for (const name of ["one", "two"]) new BareMetalRental(name, { networkType: "infiniband", gpuCount: 8 });
  new StorageVolume("data", { region: "us-central-1", sizeInGb: 256 });
  ${gpuCount > 8 ? `new BareMetalRental("refused", { networkType: "infiniband", gpuCount: ${gpuCount} });` : ""}
`;

describe("The API key, as a secret of the stack's configuration", () => {
  const said: string[] = [];
  let emulator: Emulator;
  let data: string;
  let port: number;
  let workspace: Workspace;

  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), "gpufleet-secrets-"));
    emulator = createEmulator({ apiKey: oldKey, dataDir: data, provisionSeconds: 0, endSeconds: 0 });
    const address = await emulator.listen();
    port = address.port;
    workspace = await Workspace.create({
      program: program(8),
      config: { "gpufleet:baseUrl": address.url },
      secrets: { "gpufleet:apiKey": oldKey },
    });
  });

  afterAll(async () => {
    await workspace.dispose();
    await emulator.close();
    rmSync(data, { recursive: true });
  });

  /** Every file that the engine has written: state, backups, history, project. */
  const written = (folder = dirname(workspace.folder)): string[] =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile());

  test("appears neither in what is shown nor in what is stored, also when the service repeats it in an error", async () => {
    const up = await workspace.up();
    expect(up.code).toBe(0);
    workspace.writeProgram(program(16));
    emulator.faults.add({
      match: { method: "POST", path: paths.bareMetal },
      kind: "status",
      status: 400,
      body: { error: `the key ${oldKey} may not do this; Authorization: Bearer ${oldKey}` },
    });
    const refused = await workspace.up();
    expect(refused.code).toBe(1);
    expect(refused.output).toContain(
      "answered 400: the key [redacted] may not do this; Authorization: Bearer [redacted]",
    );
    workspace.writeProgram(program(8));
    said.push(up.output, refused.output, (await workspace.succeed("stack", "export")).output);
    const inFiles = written().filter((path) => readFileSync(path).includes(oldKey));
    expect(inFiles).toEqual([]);
    expect(said.filter((text) => text.includes(oldKey))).toEqual([]);
  });

  test("is in no stub, and the stub is the same short line for every resource of a kind", async () => {
    const { resources } = workspace.exportState().deployment;
    const stubs = resources.flatMap(({ outputs }) => outputs["__provider"] ?? []);
    expect(new Set(stubs)).toEqual(
      new Set([
        'exports.handler=()=>require("pulumi-gpufleet/provider").handler("BareMetalRental")',
        'exports.handler=()=>require("pulumi-gpufleet/provider").handler("StorageVolume")',
      ]),
    );
    for (const stub of stubs) expect(String(stub).length).toBeLessThan(120);
  });

  test("that was rotated locks refresh and destroy out, with a message that says what to do, and keeps the state", async () => {
    await emulator.close();
    emulator = createEmulator({ apiKey: newKey, dataDir: data, provisionSeconds: 0, endSeconds: 0 });
    await emulator.listen(port);
    await workspace.setConfig({ "gpufleet:apiKey": newKey }, { secret: true });
    for (const run of [await workspace.refresh(), await workspace.destroy()]) {
      expect(run.code).not.toBe(0);
      expect(run.output).toContain(
        "The key is read from GPUFLEET_API_KEY, then from gpufleet:apiKey. " +
          "Refresh and destroy use the configuration of the last up: after changing the key, set GPUFLEET_API_KEY or add --run-program.",
      );
      said.push(run.output);
    }
    expect(workspace.exportState().deployment.resources.length).toBeGreaterThan(3);
  });

  test("is rescued by the environment, and never stored from there", async () => {
    workspace.env["GPUFLEET_API_KEY"] = newKey;
    const refresh = await workspace.refresh("--expect-no-changes");
    const destroy = await workspace.destroy();
    expect([refresh.code, destroy.code]).toEqual([0, 0]);
    expect(emulator.state().filter(({ billing }) => billing)).toEqual([]);
    said.push(refresh.output, destroy.output);
    expect(said.filter((text) => text.includes(oldKey) || text.includes(newKey))).toEqual([]);
    expect(written().filter((path) => readFileSync(path).includes(newKey))).toEqual([]);
  });
});

describe.each([
  ["dynamic resources", "pulumi-gpufleet"],
  ["the plugin", "pulumi-gpufleet/native"],
])("A secret input of %s that turns out otherwise", (_, from) => {
  let emulated: EmulatedWorkspace;

  beforeAll(async () => {
    const program = `
      const pulumi = require("@pulumi/pulumi");
      const { BareMetalRental } = require(${JSON.stringify(from)});
      new BareMetalRental("train", {
        networkType: "infiniband", gpuCount: 8, region: pulumi.secret("us-central-1"), fallbackRegions: ["eu-west-4"],
      });`;
    emulated = await createEmulatedWorkspace({ program, plugin: from.endsWith("native") });
  });

  afterAll(() => emulated.dispose());

  test("is stored encrypted as what was asked for, too, and is no change", async () => {
    const { workspace, emulator } = emulated;
    const body = { error: "no capacity for 8×h100 in us-central-1" };
    emulator.faults.add({ match: { method: "POST", path: paths.bareMetal }, kind: "status", status: 400, body });
    expectSuccess(await workspace.up());
    const stored = workspace.exportState().deployment.resources.find(({ urn }) => urn.endsWith("::train"));
    expect(stored?.outputs).toMatchObject({ __asked: { region: { ciphertext: expect.any(String) } } });
    expect(JSON.stringify(stored?.outputs)).not.toContain("us-central-1");
    expectSuccess(await workspace.refresh());
    expectSuccess(await workspace.preview("--expect-no-changes"));
    expect(JSON.stringify(workspace.exportState())).not.toContain('"us-central-1"');
    expectSuccess(await workspace.destroy());
  });
});
