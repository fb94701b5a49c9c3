import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import ts from "typescript";
import { z } from "zod";
import { run } from "../tools/bootstrap/command";
import { getEngine } from "../tools/bootstrap/engine/engine";
import { engineEnvironment } from "../tools/bootstrap/engine/environment";
import { root } from "../tools/bootstrap/paths";
import { parseSummary } from "../tools/workspace";
import { deadLinks } from "./docs/links";

jest.setTimeout(240_000);

const manifest = z
  .object({
    version: z.string(),
    dependencies: z.record(z.string(), z.string()),
    peerDependencies: z.object({ "@pulumi/pulumi": z.templateLiteral(["^", z.string()]) }),
  })
  .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));

const packed = z.array(
  z.object({
    filename: z.string(),
    size: z.number(),
    unpackedSize: z.number(),
    files: z.array(z.object({ path: z.string() })),
  }),
);

/** Runs to the end and hands over what was said; a failure is the test's. */
async function succeed(command: string, args: string[], options: { cwd: string; env?: NodeJS.ProcessEnv }) {
  const { code, stdout, stderr } = await run(command, args, { ...options, output: "capture" });
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} exited with ${code}:\n${stdout}${stderr}`);
  return stdout;
}

let elsewhere: string;
let tarball: string;
let template: string;
let content: z.infer<typeof packed>[number];

beforeAll(async () => {
  elsewhere = mkdtempSync(join(realpathSync(tmpdir()), "gpufleet-package-"));
  const output = await succeed("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", elsewhere], {
    cwd: root,
  });
  const [only] = packed.parse(JSON.parse(output));
  if (!only) throw new Error("npm pack made nothing");
  content = only;
  tarball = join(elsewhere, only.filename);
  await succeed("tar", ["-xzf", tarball], { cwd: elsewhere });
  template = join(elsewhere, "package", "templates", "gpu-fleet");
});

afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

describe("The package as published", () => {
  test("holds what runs and its types, the docs, the examples, the template, and no sources, tests or maps", () => {
    const expected =
      /^(dist\/(cli|emulator|provider|sdk)\/.+\.(js|d\.ts|html|css)|dist\/emulator\/sshServer\/(login|standIns\/[\w-]+)|dist\/dynamicProvider\.js|dist\/plugin\/pulumi-resource-gpufleet(\.cmd)?|docs\/.+\.md|examples\/.+|templates\/(gpu-fleet|github)\/[\w.-]+|\.github\/actions\/gpufleet\/[\w.]+|bin\/gpufleet|package\.json|(README|CHANGELOG|CONTRIBUTING|SECURITY)\.md|LICENSE)$/;
    const paths = content.files.map(({ path }) => path);
    expect(paths.filter((path) => !expected.test(path))).toEqual([]);
    expect(paths.filter((path) => /node_modules|Pulumi\.\w+\.yaml|^(?!examples\/).*\.test\./.test(path))).toEqual([]);
    for (const path of [
      "bin/gpufleet",
      "dist/sdk/index.d.ts",
      "dist/dynamicProvider.js",
      "dist/plugin/pulumi-resource-gpufleet",
      ...["html", "css", "js"].map((kind) => `dist/emulator/inspect/page/page.${kind}`),
      "templates/gpu-fleet/Pulumi.yaml",
      "README.md",
      "LICENSE",
    ]) {
      expect(paths).toContain(path);
    }
  });

  test("has no dead link in its pages", () => {
    expect(deadLinks(join(elsewhere, "package"))).toEqual([]);
  });

  test("is small, although the plugin brings all that it needs, and what dynamic resources load is one file besides", () => {
    const plugin = statSync(join(root, "dist", "plugin", "pulumi-resource-gpufleet")).size;
    expect(plugin).toBeLessThan(3_500_000);
    expect(content.unpackedSize - plugin).toBeLessThan(3_700_000);
    expect(content.size).toBeLessThan(1_700_000);
  });

  test("declares every module that it loads, and none that it does not", () => {
    const dist = join(root, "dist");
    const loaded = readdirSync(dist, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".js"))
      .flatMap((file) => ts.preProcessFile(readFileSync(join(dist, file), "utf8"), true, true).importedFiles)
      .map(({ fileName }) => fileName)
      .filter((name) => !/^(\.|node:)/.test(name) && !builtinModules.includes(name))
      .map((name) =>
        name
          .split("/")
          .slice(0, name.startsWith("@") ? 2 : 1)
          .join("/"),
      );
    const declared = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)];
    expect([...new Set(loaded)].sort()).toEqual(declared.sort());
  });
});

const entries = `
  import { createClient } from "pulumi-gpufleet/client";
  import { createEmulator } from "pulumi-gpufleet/emulator";
  import { handlers } from "pulumi-gpufleet/provider";

  const emulator = createEmulator({ provisionSeconds: 0 });
  const client = createClient({ baseUrl: "http://127.0.0.1:1", apiKey: "emulator-key" });
  export const rental: Promise<{ id: number }> = client.createVmRental({ gpuCount: 1 });
  export const state: { billing: boolean }[] = emulator.state();
  export const names: string[] = [...handlers.keys()];
`;

/** What the peer range begins with is the oldest that is promised. */
const oldest = manifest.peerDependencies["@pulumi/pulumi"].slice(1);

describe("An empty project elsewhere", () => {
  let project: string;
  let env: NodeJS.ProcessEnv;
  let said: string;

  beforeAll(async () => {
    project = mkdtempSync(join(elsewhere, "project-"));
    const engine = process.env.GPUFLEET_ENGINE ?? (await getEngine());
    env = engineEnvironment({ engine, home: join(project, ".pulumi"), backend: elsewhere });
    const answers = ["--name", "elsewhere", "--description", "Elsewhere"];
    // As a user does it: the template installs what it needs, then the file that `npm pack` wrote is added.
    said = await succeed("pulumi", ["new", template, "--yes", "--offline", "--force", "--stack", "dev", ...answers], {
      cwd: project,
      env,
    });
  });

  test("is told by `pulumi new` how to install the package", () => {
    expect(said).toContain(`npm install <checkout>/${basename(tarball)}`);
  });

  describe.each([
    ["the newest", "^3"],
    ["the oldest supported", oldest],
  ])("with %s @pulumi/pulumi (%s)", (_, version) => {
    beforeAll(async () => {
      const quiet = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
      await succeed("npm", ["install", ...quiet, `@pulumi/pulumi@${version}`, tarball], { cwd: project });
    });

    test("type-checks the program of the template and every entry of the package, the newest with old and new module resolution", async () => {
      writeFileSync(join(project, "entries.ts"), entries);
      const check = (...flags: string[]) =>
        succeed("npx", ["--no-install", "tsc", "--noEmit", ...flags], { cwd: project });
      await check();
      if (version !== oldest) await check("--module", "node16", "--moduleResolution", "node16");
    });

    test("has the command", async () => {
      const gpufleet = (...args: string[]) =>
        succeed("npx", ["--no-install", "gpufleet", ...args], { cwd: project, env });
      expect((await gpufleet("--version")).trim()).toBe(manifest.version);
      expect(await gpufleet("--help")).toContain("emulator");
    });

    test("brings a fleet up and down on the emulator of the package", async () => {
      const emulator = await startEmulator(project);
      const service = { ...env, GPUFLEET_BASE_URL: emulator.url, GPUFLEET_API_KEY: "emulator-key" };
      const pulumi = (...args: string[]) =>
        succeed("pulumi", [...args, "--non-interactive", "--color", "never"], { cwd: project, env: service });
      try {
        // The fleet itself, its two gates, two machines and the stack.
        expect(parseSummary(await pulumi("up", "--yes", "--skip-preview"))).toMatchObject({ created: 6 });
        expect(await billing(emulator.url)).toBe(2);
        await pulumi("destroy", "--yes", "--skip-preview");
        expect(await billing(emulator.url)).toBe(0);
      } finally {
        emulator.stop();
      }
    });
  });
});

async function billing(url: string): Promise<number> {
  const answer = await fetch(`${url}/_emulator/state`);
  const objects = z.array(z.looseObject({ billing: z.boolean() })).parse(await answer.json());
  return objects.filter((object) => object.billing).length;
}

/** The installed command, as a process of its own. */
async function startEmulator(project: string): Promise<{ url: string; stop(): void }> {
  const command = join(project, "node_modules", ".bin", "gpufleet");
  const child = spawn(command, ["emulator", "--provision-seconds", "0", "--end-seconds", "0"], {
    cwd: project,
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface(child.stdout)) {
    const url = /^gpufleet emulator listening on (\S+)$/.exec(line)?.[1];
    if (url) return { url, stop: () => child.kill() };
  }
  throw new Error("the emulator ended without saying where it listens");
}
