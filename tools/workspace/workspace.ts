/**
 * A Pulumi project of its own, with its own state and Pulumi home, driven by the real engine. It lies inside the
 * checkout, so that its program and the provider's stub find the package in node_modules.
 */
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { getEngine } from "../bootstrap/engine/engine";
import { engineEnvironment } from "../bootstrap/engine/environment";
import { local, root } from "../bootstrap/paths";
import { type Deployment, type Preview, parseCheckpoint, parseOutputs, parsePreview } from "./answers";
import { isProvider, processesWith } from "./processes";
import { endProcesses, type Run, type RunningPulumi, startPulumi } from "./pulumiProcess";
import { waitUntil } from "./waitUntil";

const STACK = "test";
/** Made by the engine of the passphrase of environment.js. */
const SALT = "v1:vQMDEhFf2/Y=:v1:lXT3yNrQFAnroBw+:/f96g+JNl6KbtZuAxD913GTuQMNK1w==";

export interface WorkspaceOptions {
  /** The program, CommonJS: it starts in a third of the time that TypeScript takes. */
  readonly program: string;
  readonly project?: string;
  /** As in `Pulumi.yaml`: with "always", every `up` and `preview` refreshes first. */
  readonly refresh?: "always";
  /** Whether the engine is told where the plugin of this checkout is (`plugins.providers` in `Pulumi.yaml`). */
  readonly plugin?: boolean;
  /** Like `{"gpufleet:baseUrl": "http://127.0.0.1:1234"}`. */
  readonly config?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

export class Workspace {
  /** The environment of every run; a test may change it between runs. */
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly project: string;
  #stack = STACK;

  private constructor(home: string, engine: string, options: WorkspaceOptions) {
    this.folder = join(home, "project");
    this.project = options.project ?? "workspace";
    for (const name of ["project", "state", "home"]) mkdirSync(join(home, name));
    this.env = {
      ...engineEnvironment({ engine, home: join(home, "home"), backend: join(home, "state") }),
      ...options.env,
      // Marks every process of this workspace, however far it has got from its parent.
      GPUFLEET_WORKSPACE: home,
    };
    this.write("package.json", JSON.stringify({ name: this.project, private: true, main: "index.js" }));
    this.write(
      "Pulumi.yaml",
      JSON.stringify({
        name: this.project,
        // Without this a host loads ts-node and the compiler for a program that needs neither. The one that is built for the tests does not
        // read it: there tests/engine/quickStart.js sees to it.
        runtime: { name: "nodejs", options: { typescript: false } },
        ...(options.refresh && { options: { refresh: options.refresh } }),
        ...(options.plugin && { plugins: { providers: [{ name: "gpufleet", path: join(root, "dist", "plugin") }] } }),
      }),
    );
    this.#writeStack(home, options.config ?? {});
    this.writeProgram(options.program);
  }

  /** What `pulumi stack init` and `pulumi config set` write: a command of the engine takes as long as the start of a small test. */
  #writeStack(home: string, config: Readonly<Record<string, string>>): void {
    const stack = `organization/${this.project}/${STACK}`;
    this.write(`Pulumi.${STACK}.yaml`, JSON.stringify({ encryptionsalt: SALT, config }));
    mkdirSync(dirname(this.stateFile()), { recursive: true });
    writeFileSync(join(home, "state", ".pulumi", "meta.yaml"), "version: 1\n");
    const latest = { manifest: { time: new Date().toISOString(), magic: "", version: "" }, metadata: {} };
    writeFileSync(this.stateFile(), JSON.stringify({ version: 3, checkpoint: { stack, latest } }));
    // The selected stack: by the place of the project, for each backend.
    const place = createHash("sha1")
      .update(realpathSync(join(this.folder, "Pulumi.yaml")))
      .digest("hex");
    mkdirSync(join(home, "home", "workspaces"));
    writeFileSync(
      join(home, "home", "workspaces", `${this.project}-${place}-workspace.json`),
      JSON.stringify({ stacks: { [`file://${join(home, "state")}`]: stack } }),
    );
  }

  static async create(options: WorkspaceOptions): Promise<Workspace> {
    const engine = process.env.GPUFLEET_ENGINE ?? (await getEngine());
    mkdirSync(join(local, "workspaces"), { recursive: true });
    const workspace = new Workspace(mkdtempSync(join(local, "workspaces", "workspace-")), engine, options);
    await workspace.setConfig(options.secrets ?? {}, { secret: true });
    return workspace;
  }

  /** Adds or replaces a file of the project. */
  write(name: string, content: string): void {
    writeFileSync(join(this.folder, name), content);
  }

  writeProgram(source: string): void {
    this.write("index.js", source);
  }

  async setConfig(values: Readonly<Record<string, string>>, { secret = false } = {}): Promise<void> {
    for (const [key, value] of Object.entries(values)) {
      await this.succeed("config", "set", secret ? "--secret" : "--plaintext", key, "--", value);
    }
  }

  async removeConfig(key: string): Promise<void> {
    await this.succeed("config", "rm", key);
  }

  async renameStack(name: string): Promise<void> {
    await this.succeed("stack", "rename", name);
    this.#stack = name;
  }

  up(...flags: string[]): Promise<Run> {
    return this.pulumi("up", "--yes", "--skip-preview", ...flags);
  }

  preview(...flags: string[]): Promise<Run> {
    return this.pulumi("preview", ...flags);
  }

  async previewAsJson(...flags: string[]): Promise<Preview> {
    return parsePreview((await this.succeed("preview", "--json", ...flags)).stdout);
  }

  refresh(...flags: string[]): Promise<Run> {
    return this.pulumi("refresh", "--yes", "--skip-preview", ...flags);
  }

  destroy(...flags: string[]): Promise<Run> {
    return this.pulumi("destroy", "--yes", "--skip-preview", ...flags);
  }

  /** Runs any command to its end, whatever its exit code. */
  async pulumi(...args: string[]): Promise<Run> {
    return this.start(...args).finished;
  }

  /** Starts a command in the background, for tests that kill it. */
  start(...args: string[]): RunningPulumi {
    return startPulumi(insertFlags(args, ["--stack", this.#stack, "--non-interactive", "--color", "never"]), {
      cwd: this.folder,
      env: this.env,
    });
  }

  /** Runs a command that is not what the test is about: its failure is the test's. */
  async succeed(...args: string[]): Promise<Run> {
    const run = await this.pulumi(...args);
    if (run.code !== 0) throw new Error(`pulumi ${args.join(" ")} exited with ${run.code}:\n${run.output}`);
    return run;
  }

  /** The stack's outputs, secrets in clear text. */
  async outputs(): Promise<Record<string, unknown>> {
    return parseOutputs((await this.succeed("stack", "output", "--json", "--show-secrets")).stdout);
  }

  /** What `pulumi stack export` prints, without the half second that it takes. */
  exportState(): Deployment {
    return parseCheckpoint(readFileSync(this.stateFile(), "utf8"));
  }

  /** Where the backend keeps a stack of this project. */
  stateFile(stack = this.#stack): string {
    return join(dirname(this.folder), "state", ".pulumi", "stacks", this.project, `${stack}.json`);
  }

  async importState(state: unknown): Promise<Run> {
    const file = join(dirname(this.folder), "imported.json");
    writeFileSync(file, JSON.stringify(state));
    return this.succeed("stack", "import", "--file", file);
  }

  /** What a person does after a kill: takes away what it has left half-written beside the state, and its lock. */
  async unlock(): Promise<void> {
    const state = join(dirname(this.folder), "state");
    for (const file of readdirSync(state, { recursive: true, encoding: "utf8" })) {
      if (file.endsWith(".attrs") && statSync(join(state, file)).size === 0) rmSync(join(state, file));
    }
    await this.succeed("cancel", "--yes");
  }

  /** Ids of all processes that the workspace's runs have left: the CLI, the program, providers. */
  processes(): number[] {
    return processesWith(`GPUFLEET_WORKSPACE=${this.env["GPUFLEET_WORKSPACE"]}`);
  }

  /** Those of them in which handlers run. */
  providers(): number[] {
    return this.processes().filter(isProvider);
  }

  async dispose(): Promise<void> {
    // A process that is killed takes a moment to go, and one may have just started another.
    await waitUntil("the processes of the workspace end", () => {
      const left = this.processes();
      endProcesses(left);
      return left.length === 0;
    });
    rmSync(dirname(this.folder), { recursive: true, force: true });
  }
}

/** Flags go before a "--" that ends them. */
function insertFlags(args: readonly string[], flags: readonly string[]): string[] {
  const end = args.indexOf("--");
  return end < 0 ? [...args, ...flags] : [...args.slice(0, end), ...flags, ...args.slice(end)];
}
