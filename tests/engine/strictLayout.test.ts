import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { root } from "../../tools/bootstrap/paths";
import { startPulumi } from "../../tools/workspace";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";

/** As pnpm does it: a package sees what its own package.json names, and nothing else. */
describe("A strict layout of node_modules", () => {
  let emulated: EmulatedWorkspace;
  let folder: string;

  const link = (target: string, ...path: string[]) => {
    const place = join(folder, "node_modules", ...path);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(target, place);
  };

  beforeAll(async () => {
    // Only for its backend and its environment: the checkout, in which it lies, has the package in node_modules.
    emulated = await createEmulatedWorkspace({ program: "", project: "strict" });
    folder = realpathSync(mkdtempSync(join(tmpdir(), "gpufleet-strict-")));
    const store = join(folder, "node_modules", ".pnpm", "library", "node_modules");
    mkdirSync(join(store, "library"), { recursive: true });
    writeFileSync(
      join(store, "library", "index.js"),
      'const g = require("pulumi-gpufleet"); exports.volume = () => new g.StorageVolume("data", { region: "us-central-1", sizeInGb: 256 });',
    );
    link(root, ".pnpm", "library", "node_modules", "pulumi-gpufleet");
    link(join(store, "library"), "library");
    link(join(root, "node_modules", "@pulumi", "pulumi"), "@pulumi", "pulumi");
    writeFileSync(join(folder, "package.json"), '{ "name": "strict", "main": "index.js" }');
    writeFileSync(
      join(folder, "Pulumi.yaml"),
      "name: strict\nruntime: { name: nodejs, options: { typescript: false } }",
    );
    writeFileSync(join(folder, "index.js"), 'require("library").volume();');
    Object.assign(emulated.workspace.env, { GPUFLEET_BASE_URL: emulated.url, GPUFLEET_RECONCILE_SECONDS: "1" });
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await emulated.dispose();
  });

  const pulumi = (...args: string[]) =>
    startPulumi([...args, "--stack", "test", "--yes", "--skip-preview", "--non-interactive", "--color", "never"], {
      cwd: folder,
      env: emulated.workspace.env,
    }).finished;

  test("in which only a library has the package says in one sentence what to install where", async () => {
    const { code, output } = await pulumi("up");
    expect(code).not.toBe(0);
    expect(output).toContain(
      `error: pulumi-gpufleet cannot be found from ${folder}, where the engine looks for it: run \`npm install pulumi-gpufleet\` (or \`pnpm add pulumi-gpufleet\`) there, even if only a library of the program uses it.`,
    );
    expect(emulated.emulator.state()).toEqual([]);
  });

  test("works for a script that is started elsewhere with NODE_PATH, and warns of what to do without it", async () => {
    const script = join(folder, "node_modules", ".pnpm", "library", "node_modules", "library", "script.js");
    writeFileSync(
      script,
      `const { LocalWorkspace } = require(${JSON.stringify(join(root, "node_modules", "@pulumi", "pulumi", "automation"))});
       const program = async () => { require("./index.js").volume(); };
       (async () => {
         const envVars = process.argv[2] ? { NODE_PATH: process.argv[2] } : {};
         const stack = await LocalWorkspace.createOrSelectStack({ projectName: "script", stackName: "dev", program }, { envVars });
         await stack.up();
         await stack.destroy();
         console.log("done");
       })().catch((error) => console.log(error.message));`,
    );
    const options = { cwd: tmpdir(), env: emulated.workspace.env };
    const without = await promisify(execFile)(process.execPath, [script], options);
    expect(without.stdout.replaceAll(/\s+/g, " ")).toContain(
      `warning: pulumi-gpufleet cannot be found from ${realpathSync(tmpdir())}, where the engine looks for it: start the script in the folder of its package.json, or pass \`envVars: { NODE_PATH: "…/node_modules" }\` to the workspace, with the node_modules folder in which both pulumi-gpufleet and @pulumi/pulumi are.`,
    );
    const { stdout } = await promisify(execFile)(process.execPath, [script, join(root, "node_modules")], options);
    expect(stdout).toBe("done\n");
  });

  test("works once the program names the package itself", async () => {
    link(root, "pulumi-gpufleet");
    expect(await pulumi("up")).toMatchObject({ code: 0 });
    expect(emulated.emulator.state().filter(({ billing }) => billing)).toHaveLength(1);
    expect(await pulumi("destroy")).toMatchObject({ code: 0 });
    expect(emulated.emulator.state().filter(({ billing }) => billing)).toEqual([]);
  });
});
