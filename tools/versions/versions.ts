/**
 * `npm run versions -- 3.139.0 3.270.0`: the package, as it would be published, in a project with each of these versions of
 * `@pulumi/pulumi`: up, a refresh that notices a lost machine, another up, and destroy, on the real engine and an emulator. Not part of
 * the tests, because it installs from the registry. The oldest version that passes is the one that `sdk/installation.ts` names.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createEmulator, defaults, type Emulator } from "../../emulator";
import { createClient } from "../../provider/client";
import { build } from "../bootstrap/build";
import { run, ToolError } from "../bootstrap/command";
import { local, root } from "../bootstrap/paths";
import { Workspace } from "../workspace";

const PROGRAM = `
  const g = require("pulumi-gpufleet");
  const data = new g.StorageVolume("data", { region: "us-central-1", sizeInGb: 256 });
  const fleet = new g.GpuFleet("fleet", { kind: "bare-metal", count: 2, gpuCount: 8, networkType: "infiniband", regions: ["us-central-1"] });
  exports.members = fleet.members;
`;

export async function main(versions: string[]): Promise<number> {
  if (versions.length === 0) throw new ToolError("Name the versions: npm run versions -- 3.139.0 3.270.0");
  await build();
  mkdirSync(local, { recursive: true });
  const folder = mkdtempSync(join(local, "versions-"));
  try {
    await succeed("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], root);
    const results = [];
    for (const version of versions) {
      const problem = await tryVersion(version, folder).catch((error: unknown) => String(error));
      console.log(`@pulumi/pulumi ${version}: ${problem ?? "works"}`);
      results.push(problem);
    }
    return results.every((problem) => problem === undefined) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What goes wrong with this version; undefined where nothing does. */
async function tryVersion(version: string, packed: string): Promise<string | undefined> {
  const emulator = createEmulator({ provisionSeconds: 0, endSeconds: 0 });
  const { url } = await emulator.listen();
  const workspace = await Workspace.create({
    program: PROGRAM,
    // Only in the configuration: a host that does not hand it on is found out.
    config: { "gpufleet:baseUrl": url, "gpufleet:reconcileSeconds": "1" },
    secrets: { "gpufleet:apiKey": defaults.apiKey },
  });
  try {
    const install = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--legacy-peer-deps", "--install-links"];
    await succeed("npm", [...install, `@pulumi/pulumi@${version}`, join(packed, await packedName())], workspace.folder);
    return await live(workspace, emulator, url);
  } finally {
    await workspace.dispose();
    await emulator.close();
  }
}

async function live(workspace: Workspace, emulator: Emulator, url: string): Promise<string | undefined> {
  const billing = () => emulator.state().filter((one) => one.billing);
  const up = await workspace.up();
  if (up.code !== 0 || billing().length !== 3) return `up failed:\n${up.output}`;
  const lost = billing().find(({ kind }) => kind === "bare-metal");
  const client = createClient({ baseUrl: url, apiKey: defaults.apiKey });
  await client.terminateRental({ rentalType: "bare-metal", rentalId: Number(lost?.id) });
  await client.close();
  const refresh = await workspace.refresh();
  if (refresh.code !== 0 || refresh.summary.deleted !== 1) return `refresh failed:\n${refresh.output}`;
  const again = await workspace.up();
  if (again.code !== 0 || billing().length !== 3) return `the second up failed:\n${again.output}`;
  const destroy = await workspace.destroy();
  if (destroy.code !== 0 || billing().length !== 0) return `destroy failed:\n${destroy.output}`;
  return undefined;
}

async function packedName(): Promise<string> {
  const { stdout } = await run("npm", ["pkg", "get", "version"], { cwd: root, output: "capture" });
  return `pulumi-gpufleet-${JSON.parse(stdout)}.tgz`;
}

async function succeed(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { code, stdout, stderr } = await run(command, args, { cwd, output: "capture" });
  if (code !== 0) throw new ToolError(`${command} ${args[0]} failed:\n${(stderr || stdout).trim()}`);
}
