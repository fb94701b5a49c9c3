/** A Pulumi project for one contestant, with the clock running while the engine works. */
import { isProvider, peakMemory, Workspace } from "../tools/workspace";
import { apiKey } from "./emulator";
import { takePace } from "./pace";
import { type Contestant, programs } from "./programs";

export interface Sample {
  seconds: number;
  /** When the first line was shown. */
  firstLine: number;
  /** The most that the provider process took, in MB. */
  memory: number;
  stdout: string;
}

const quiet = ["--suppress-progress"];
const atOnce = ["--yes", "--skip-preview", ...quiet];

export class Project {
  private constructor(private readonly workspace: Workspace) {}

  static async create(url: string, contestant: Contestant, count: number): Promise<Project> {
    const program = programs[contestant](count);
    const env = { GPUFLEET_BASE_URL: url, GPUFLEET_API_KEY: apiKey };
    return new Project(await Workspace.create({ program, project: "bench", env, plugin: contestant === "plugin" }));
  }

  up(): Promise<Sample> {
    return this.#measure("up", ...atOnce);
  }

  /** An `up` whose time is not measured: the engine writes the state once, not with every step. */
  prepare(): Promise<Sample> {
    const { env } = this.workspace;
    env["PULUMI_EXPERIMENTAL"] = "true";
    env["PULUMI_SKIP_CHECKPOINTS"] = "true";
    return this.up().finally(() => {
      delete env["PULUMI_EXPERIMENTAL"];
      delete env["PULUMI_SKIP_CHECKPOINTS"];
    });
  }

  preview(): Promise<Sample> {
    return this.#measure("preview", ...quiet);
  }

  refresh(): Promise<Sample> {
    return this.#measure("refresh", ...atOnce);
  }

  destroy(): Promise<Sample> {
    return this.#measure("destroy", ...atOnce);
  }

  /** The exported state, as text. */
  async state(): Promise<string> {
    return (await this.workspace.succeed("stack", "export")).stdout;
  }

  remove(): Promise<void> {
    return this.workspace.dispose();
  }

  async #measure(...args: string[]): Promise<Sample> {
    takePace();
    const memory = watchMemory(() => this.workspace.providers());
    const started = process.hrtime.bigint();
    const elapsed = () => Number(process.hrtime.bigint() - started) / 1e9;
    const running = this.workspace.start(...args);
    const firstLine = running.waitForOutput(/./).then(elapsed, elapsed);
    const { code, output, stdout } = await running.finished;
    const seconds = elapsed();
    const peak = memory.stop();
    if (code !== 0) throw new Error(`pulumi ${args.join(" ")} failed:\n${output}`);
    return { seconds, firstLine: await firstLine, memory: peak, stdout };
  }
}

const everyMs = 100;

/** The most memory, in MB, that the provider process takes while it is watched. */
function watchMemory(findProviders: () => number[]): { stop(): number } {
  let peak = 0;
  let pid = 0;
  const timer = setInterval(() => {
    pid = isProvider(pid) ? pid : (findProviders()[0] ?? 0);
    peak = Math.max(peak, peakMemory(pid));
  }, everyMs);
  return {
    stop() {
      clearInterval(timer);
      return peak;
    },
  };
}
