/**
 * The same five resources of the plugin in every language. `npm test` runs the languages that are set up in seconds once their
 * hosts are built; `npm run languages` runs all, Go among them, whose programs are compiled for minutes.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { createEmulator, defaults, type Emulator } from "../../emulator";
import { root } from "../../tools/bootstrap/paths";
import { type LanguageSetUp, setUpLanguage } from "../../tools/languages/languages";
import type { Workspace } from "../../tools/workspace";
import { describeWith, type Requirement } from "../requirements";
import { createExampleWorkspace } from "./exampleWorkspace";
import { expectSuccess } from "./expectSuccess";

/** Hosts are built from source, once per machine. */
const setUpWithin = 20 * 60_000;
jest.setTimeout(setUpWithin);

const pluginOfCheckout = { providers: [{ name: "gpufleet", path: join(root, "dist", "plugin") }] };
const needs: Readonly<Record<string, Requirement>> = { typescript: "go", yaml: "go", python: "python", go: "go" };
const languages = process.env.GPUFLEET_LANGUAGES?.split(",") ?? ["typescript", "yaml", "python"];

let emulator: Emulator;
let env: Record<string, string>;

beforeAll(async () => {
  emulator = createEmulator({ provisionSeconds: 0, endSeconds: 0 });
  const { url } = await emulator.listen();
  // The emulator's lists do not lag: what is missing is gone.
  env = { GPUFLEET_BASE_URL: url, GPUFLEET_API_KEY: defaults.apiKey, GPUFLEET_RECONCILE_SECONDS: "1" };
});

afterAll(() => emulator.close());

const billing = () => emulator.state().filter((object) => object.billing);

/** The example as people run it, except that the engine is told where the plugin of this checkout is. */
async function createWorkspace(language: string, { path, env: own, sdk }: LanguageSetUp): Promise<Workspace> {
  const name = `native-${language}`;
  const workspace = await createExampleWorkspace(name, { env: { ...env, ...own } });
  workspace.env["PATH"] = [...path, workspace.env["PATH"]].join(":");
  const project = parse(readFileSync(join(workspace.folder, "Pulumi.yaml"), "utf8"));
  workspace.write("Pulumi.yaml", stringify({ ...project, plugins: pluginOfCheckout }));
  if (language === "go" && sdk) {
    const module = readFileSync(join(workspace.folder, "go.mod"), "utf8");
    workspace.write("go.mod", module.replace("=> ../../sdks/go", `=> ${sdk}`));
  }
  return workspace;
}

const setUp = (language: string): Promise<LanguageSetUp> =>
  language === "yaml" || language === "python" || language === "go"
    ? setUpLanguage(language)
    : Promise.resolve({ path: [], env: {} });

/** A fleet and a function of the plugin, as the file that the program of the example is in. */
const fleets: Readonly<Record<string, [file: string, program: string]>> = {
  yaml: [
    "Pulumi.yaml",
    stringify({
      name: "native-yaml",
      runtime: "yaml",
      plugins: pluginOfCheckout,
      variables: {
        offers: {
          "fn::invoke": { function: "gpufleet:getMarketplaceMachines", arguments: { gpuModel: "A100", limit: 1 } },
        },
      },
      resources: {
        workers: {
          type: "gpufleet:GpuFleet",
          properties: { kind: "vm", count: 2, regions: ["us-central-1", "us-east-1"], gpuCount: 1 },
        },
      },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: these are expressions of YAML programs.
      outputs: { members: "${workers.members}", model: "${offers.machines[0].gpuModel}" },
    }),
  ],
  python: [
    "__main__.py",
    `import pulumi
import pulumi_gpufleet as gpufleet

offers = gpufleet.get_marketplace_machines(gpu_model="A100", limit=1)
workers = gpufleet.GpuFleet(
    "workers", kind=gpufleet.FleetKind.VM, count=2, regions=["us-central-1", "us-east-1"], gpu_count=1
)
pulumi.export("members", workers.members.apply(lambda all: [{"name": one.name, "region": one.region} for one in all]))
pulumi.export("model", offers.machines[0].gpu_model)
`,
  ],
};

describe.each(languages)("A program in %s", (language) => {
  describeWith(needs[language] ?? "go", "with all five resources of the plugin", () => {
    let workspace: Workspace;

    beforeAll(async () => {
      emulator.reset();
      workspace = await createWorkspace(language, await setUp(language));
    }, setUpWithin);

    afterAll(() => workspace?.dispose());

    test("comes up, is unchanged, refreshes, is replaced in part, and leaves nothing billing", async () => {
      expectSuccess(await workspace.up(), { created: 6, updated: 0, replaced: 0 });
      expect(
        billing()
          .map(({ kind }) => kind)
          .sort(),
      ).toEqual(["bare-metal", "marketplace-instance", "storage-volume", "virtual-machine"]);
      const { trainId } = await workspace.outputs();
      expectSuccess(await workspace.preview("--expect-no-changes"));
      expectSuccess(await workspace.refresh("--expect-no-changes"));

      await workspace.setConfig({ gpuCount: "16" });
      // The attachment goes to the new machine.
      expectSuccess(await workspace.up(), { created: 0, updated: 1, replaced: 1, deleted: 0 });
      expect((await workspace.outputs())["trainId"]).not.toBe(trainId);
      expect(billing()).toHaveLength(4);

      expectSuccess(await workspace.destroy());
      expect(billing()).toEqual([]);
    });

    const [file, program] = fleets[language] ?? [];
    if (file === undefined || program === undefined) return;

    test("has fleets and functions, too", async () => {
      workspace.write(file, program);
      // The stack, the fleet, its two machines and its two gates.
      expectSuccess(await workspace.up(), { created: 6 });
      expect(await workspace.outputs()).toMatchObject({
        members: [
          { name: "workers-0", region: "us-central-1" },
          { name: "workers-1", region: "us-east-1" },
        ],
        model: expect.stringContaining("A100"),
      });
      expectSuccess(await workspace.preview("--expect-no-changes"));
      expectSuccess(await workspace.destroy());
      expect(billing()).toEqual([]);
    });

    if (language !== "yaml") return;

    test("is told in a preview what it would cost, and that a limit is broken", async () => {
      const train = { type: "gpufleet:BareMetalRental", properties: { networkType: "infiniband", gpuCount: 8 } };
      const resources = { train };
      workspace.write(file, stringify({ name: "native-yaml", runtime: "yaml", plugins: pluginOfCheckout, resources }));
      await workspace.setConfig({ "gpufleet:prices": '{"h100": 2.49}', "gpufleet:maxCostPerHour": "50" });
      const allowed = await workspace.preview();
      expectSuccess(allowed);
      expect(allowed.output).toContain("8×h100, ≈ $19.92/h");
      await workspace.setConfig({ "gpufleet:maxCostPerHour": "10" });
      const { code, output } = await workspace.preview();
      expect(code).not.toBe(0);
      expect(output).toContain(
        "what this program has would cost ≈ $19.92/h, more than gpufleet:maxCostPerHour of $10.00/h",
      );
      await workspace.removeConfig("gpufleet:maxCostPerHour");
    });

    test("gives a fleet a volume that is only being made", async () => {
      const size = { region: "us-central-1", sizeInGb: 1024 };
      const fleet = { kind: "bare-metal", count: 1, regions: ["us-central-1"], networkType: "infiniband", gpuCount: 8 };
      const sharing = (sharedVolume: unknown) => ({
        name: "native-yaml",
        runtime: "yaml",
        plugins: pluginOfCheckout,
        resources: {
          data: { type: "gpufleet:StorageVolume", properties: size },
          trainers: { type: "gpufleet:GpuFleet", properties: { ...fleet, sharedVolume } },
        },
      });
      // biome-ignore lint/suspicious/noTemplateCurlyInString: these are expressions of YAML programs.
      workspace.write(file, stringify(sharing({ id: "${data.storageVolumeId}" })));
      expectSuccess(await workspace.preview());
      // The stack, the volume, the fleet, its machine, the attachment and its two gates.
      expectSuccess(await workspace.up(), { created: 7 });
      expectSuccess(await workspace.preview("--expect-no-changes"));
      expectSuccess(await workspace.destroy());
      expect(billing()).toEqual([]);
    });

    test("does not blame a fleet for what fails beside it", async () => {
      // Without its functions: of one that is under way when the run fails the engine itself says that its connection closes.
      const { resources, variables: _, ...rest } = parse(program);
      const wrong = { networkType: "infiniband", gpuCount: 8, expiresAt: "tomorrow" };
      const failing = { ...resources, wrong: { type: "gpufleet:BareMetalRental", properties: wrong } };
      workspace.write(file, stringify({ ...rest, resources: failing, outputs: {} }));
      const { code, output } = await workspace.preview();
      expect(code).not.toBe(0);
      expect(output).toContain("resource 'wrong' has a problem: expiresAt must be a time such as");
      expect(output).not.toContain("connection is closing");
    });
  });
});
