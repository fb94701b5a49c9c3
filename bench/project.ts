/** A Pulumi project for one contestant: a program, a state of its own, and the clock running while the engine works. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run, ToolError } from "../tools/bootstrap/command";
import { engineEnvironment } from "../tools/bootstrap/engine/environment";
import { local } from "../tools/bootstrap/paths";
import { watchMemory } from "./memory";
import { type Contestant, programs } from "./programs";

export interface Sample {
  seconds: number;
  /** When the first line was shown. */
  firstLine: number;
  /** The most that the provider process took, in MB. */
  memory: number;
  stdout: string;
}

export class Project {
  readonly #folder: string;
  readonly #environment: NodeJS.ProcessEnv;

  private constructor(engine: string, url: string, contestant: Contestant, count: number) {
    mkdirSync(join(local, "bench"), { recursive: true });
    this.#folder = mkdtempSync(join(local, "bench", `${contestant}-`));
    for (const part of ["home", "state"]) mkdirSync(join(this.#folder, part));
    this.#environment = {
      ...engineEnvironment({ engine, home: join(this.#folder, "home"), backend: join(this.#folder, "state") }),
      GPUFLEET_BASE_URL: url,
      GPUFLEET_API_KEY: "emulator",
    };
    this.#write("package.json", JSON.stringify({ name: "bench", private: true, main: "index.js" }));
    const runtime = { name: "nodejs", options: { typescript: false } };
    this.#write("Pulumi.yaml", JSON.stringify({ name: "bench", runtime }));
    this.#write("index.js", programs[contestant](count));
  }

  static async create(engine: string, url: string, contestant: Contestant, count: number): Promise<Project> {
    const project = new Project(engine, url, contestant, count);
    await project.#pulumi("stack", "init", "bench");
    return project;
  }

  up(): Promise<Sample> {
    return this.#pulumi("up", "--yes", "--skip-preview", "--suppress-progress");
  }

  /** An `up` that is not measured: the engine writes the state once, not with every step. */
  prepare(): Promise<Sample> {
    this.#environment["PULUMI_EXPERIMENTAL"] = "true";
    this.#environment["PULUMI_SKIP_CHECKPOINTS"] = "true";
    return this.up().finally(() => {
      delete this.#environment["PULUMI_EXPERIMENTAL"];
      delete this.#environment["PULUMI_SKIP_CHECKPOINTS"];
    });
  }

  preview(): Promise<Sample> {
    return this.#pulumi("preview", "--suppress-progress");
  }

  refresh(): Promise<Sample> {
    return this.#pulumi("refresh", "--yes", "--skip-preview", "--suppress-progress");
  }

  destroy(): Promise<Sample> {
    return this.#pulumi("destroy", "--yes", "--skip-preview", "--suppress-progress");
  }

  /** The exported state, as text. */
  async state(): Promise<string> {
    return (await this.#pulumi("stack", "export")).stdout;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #write(name: string, text: string): void {
    writeFileSync(join(this.#folder, name), text);
  }

  async #pulumi(...args: string[]): Promise<Sample> {
    const memory = watchMemory(`PULUMI_HOME=${this.#environment["PULUMI_HOME"]}`);
    const started = process.hrtime.bigint();
    const elapsed = () => Number(process.hrtime.bigint() - started) / 1e9;
    let firstLine: number | undefined;
    const { code, stdout, stderr } = await run("pulumi", [...args, "--non-interactive"], {
      cwd: this.#folder,
      env: this.#environment,
      output: "capture",
      onOutput: () => {
        firstLine ??= elapsed();
      },
    });
    const seconds = elapsed();
    const peak = memory.stop();
    if (code !== 0) throw new ToolError(`pulumi ${args.join(" ")} failed:\n${stdout}\n${stderr}`);
    return { seconds, firstLine: firstLine ?? seconds, memory: peak, stdout };
  }
}
