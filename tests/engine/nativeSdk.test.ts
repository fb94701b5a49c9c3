import { readFileSync } from "node:fs";
import { join } from "node:path";
import { changesOf } from "../../cli/preview/changes";
import { parsePreview } from "../../cli/preview/readPreview";
import { defaults } from "../../emulator";
import { operations } from "../../provider/service";
import { run } from "../../tools/bootstrap/command";
import { root } from "../../tools/bootstrap/paths";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";
import { expectSuccess } from "./expectSuccess";

describe("pulumi-gpufleet/native on the real engine", () => {
  let emulated: EmulatedWorkspace;
  const hidden = "hidden-label-of-train";

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({ program: "", plugin: true, env: { GPUFLEET_RECONCILE_SECONDS: "1" } });
    // Everything below goes through the provider of the program.
    await emulated.workspace.setConfig({ "gpufleet:baseUrl": "http://127.0.0.1:9" });
  });

  afterAll(() => emulated.dispose());

  const program = (args: string, label = `pulumi.secret("${hidden}")`) => `
    const pulumi = require("@pulumi/pulumi");
    const { BareMetalRental, Provider, getBalanceOutput } = require("pulumi-gpufleet/native");
    const provider = new Provider("own", { baseUrl: "${emulated.url}", apiKey: "${defaults.apiKey}" });
    const label = ${label};
    const train = new BareMetalRental("train", { networkType: "infiniband", gpuCount: 8, label, ${args} }, { provider });
    const same = BareMetalRental.get("same", train.id, { provider });
    exports.ids = [train.rentalId, same.rentalId];
    exports.status = same.status;
    exports.usd = getBalanceOutput({ provider }).usd;
  `;

  /** What is only read is as the service shows it. */
  async function expectHidden(): Promise<void> {
    const { resources = [] } = emulated.workspace.exportState().deployment;
    const managed = JSON.stringify(resources.filter(({ external }) => !external));
    expect(managed).toContain("gpufleet:index:BareMetalRental");
    expect(managed).not.toContain(hidden);
    expect(managed).not.toContain(`"${defaults.apiKey}"`);
  }

  test("has providers, functions and resources that are only read, and keeps secrets secret through every operation", async () => {
    const { workspace, emulator } = emulated;
    workspace.writeProgram(program(""));
    expectSuccess(await workspace.up());
    const { ids, status, usd } = await workspace.outputs();
    const [rental] = emulator.state();
    expect(rental).toMatchObject({ label: hidden, billing: true });
    expect({ ids, status, usd }).toEqual({
      ids: [Number(rental?.id), Number(rental?.id)],
      status: "Running",
      usd: expect.any(Number),
    });
    await expectHidden();

    expectSuccess(await workspace.refresh("--expect-no-changes"));
    await expectHidden();

    workspace.writeProgram(program("maxCostPerHour: 1000"));
    expectSuccess(await workspace.up(), { updated: 1, replaced: 0 });
    await expectHidden();

    expectSuccess(await workspace.destroy());
    expect(emulator.state().filter(({ billing }) => billing)).toEqual([]);
  });

  test("makes a secret of what was none, and says that it is written anew", async () => {
    const { workspace } = emulated;
    workspace.writeProgram(program("", `"${hidden}"`));
    expectSuccess(await workspace.up());
    await expect(expectHidden()).rejects.toThrow(hidden);
    workspace.writeProgram(program(""));
    expectSuccess(await workspace.up(), { updated: 1, replaced: 0 });
    await expectHidden();
    expectSuccess(await workspace.up(), { updated: 0, replaced: 0 });
    expectSuccess(await workspace.destroy());
  });

  test("keeps them secret where a create fails, too", async () => {
    const { workspace, emulator } = emulated;
    workspace.writeProgram(program(""));
    const { method, path } = operations.createBareMetalRental;
    emulator.faults.add({ match: { method, path }, kind: "fail-provisioning" });
    expect((await workspace.up()).code).not.toBe(0);
    await expectHidden();
    expectSuccess(await workspace.destroy());
  });

  test("has the schema of this checkout in its plugin", async () => {
    const plugin = join(root, "dist", "plugin", "pulumi-resource-gpufleet");
    const { folder: cwd, env } = emulated.workspace;
    const { stdout } = await run("pulumi", ["package", "get-schema", plugin], { cwd, env, output: "capture" });
    const { name, version, resources, functions, types } = JSON.parse(readFileSync(join(root, "schema.json"), "utf8"));
    expect(JSON.parse(stdout)).toMatchObject({ name, version, resources, functions, types });
  });
});

test("A preview that begins with the refresh of a fleet's members shows what the program ends", async () => {
  const emulated = await createEmulatedWorkspace({ program: "", plugin: true, emulator: { provisionSeconds: 2 } });
  const { workspace } = emulated;
  const fleet = (more = "") => `
    const { GpuFleet, StorageVolume } = require("pulumi-gpufleet/native");
    new GpuFleet("fleet", {
      kind: "bare-metal", count: 2, gpuCount: 8, networkType: "infiniband", regions: ["us-central-1"],
    });
    ${more}
  `;
  try {
    workspace.writeProgram(fleet(`new StorageVolume("data", { region: "us-central-1", sizeInGb: 512 });`));
    expectSuccess(await workspace.up());
    workspace.writeProgram(fleet());
    const preview = parsePreview((await workspace.preview("--json", "--show-sames")).stdout, "the preview");
    expect(preview.steps?.map(({ op }) => op)).toContain("refresh");
    const ended = changesOf(preview).filter(({ op }) => op === "delete");
    expect(ended.map(({ gpufleetType }) => gpufleetType)).toEqual(["StorageVolume"]);
    expectSuccess(await workspace.destroy());
  } finally {
    await emulated.dispose();
  }
});
