import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { z } from "zod";
import { run, ToolError } from "../../../tools/bootstrap/command";
import { root } from "../../../tools/bootstrap/paths";
import type { FrontName } from "../simulation/circumstances";
import { nodeFlags } from "../workers/nodeFlags";
import type { TestLayer } from "./layers";

/** Not copied: what is installed, built or left behind by running. */
const notOurs = /^(\.git|\.gpufleet|node_modules|coverage|dist)$/;
const mostMinutes = 30;
/** Schedules take a minute or two. With a bug they may never end, and that is noticed, too. */
const mostMinutesOfSchedules = 8;

const played = z.object({ failures: z.array(z.string()) });

export interface LayerResult {
  /** Whether a test of the layer has failed. */
  noticed: boolean;
  output: string;
  /** The files of the tests that have failed. */
  failed: readonly string[];
}

/** A bug as it is planted. */
export interface Planted {
  /** Where it is. */
  file: string;
  /** The tests that came with it. */
  tests: readonly string[];
}

/** A copy of this checkout in which tests run as they do here. */
export class Checkout {
  private constructor(
    readonly folder: string,
    private readonly engine: string | undefined,
  ) {}

  /** `engine` is the folder of the real engine, where a layer needs it. */
  static create(engine: string | undefined): Checkout {
    const folder = mkdtempSync(join(tmpdir(), "gpufleet-mutants-"));
    cpSync(root, folder, { recursive: true, filter: (source) => !notOurs.test(relative(root, source)) });
    // Everything installed is shared, but for the package itself: that is the copy.
    mkdirSync(join(folder, "node_modules"));
    for (const name of readdirSync(join(root, "node_modules"))) {
      const target = name === "pulumi-gpufleet" ? folder : join(root, "node_modules", name);
      symlinkSync(target, join(folder, "node_modules", name));
    }
    return new Checkout(folder, engine);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Without a check of types: what a bug leaves unused is no reason not to build. */
  async build(): Promise<void> {
    const { code, stdout, stderr } = await this.#node(["tools/bootstrap/build.js", "--no-check"]);
    if (code !== 0) throw new ToolError(`The build failed in ${this.folder}:\n${stdout}${stderr}`);
  }

  /** Plays the schedules of these numbers, up to the first that fails. */
  async playSchedules(front: FrontName, numbers: readonly number[]): Promise<LayerResult> {
    const script = [...nodeFlags, join("tests", "faults", "mutants", "playNumbers.ts"), numbers.join()];
    const env = { GPUFLEET_FAULT_FRONT: front };
    const { code, timedOut, stdout, stderr } = await this.#node(script, { env, minutes: mostMinutesOfSchedules });
    if (timedOut) return { noticed: true, output: `no end after ${mostMinutesOfSchedules} minutes`, failed: [] };
    if (code !== 0) throw new ToolError(`Schedules ended with ${code} in ${this.folder}:\n${stderr.slice(-4000)}`);
    const { failures } = played.parse(JSON.parse(stdout));
    return { noticed: failures.length > 0, output: failures.join("\n"), failed: [] };
  }

  async play({ tests, nearestFirst, env }: TestLayer, bug?: Planted): Promise<LayerResult> {
    const room = bug && this.#roomOf(bug.file);
    const nearest = bug && nearestFirst ? [bug.tests, room === undefined ? [] : [room]] : [];
    for (const some of nearest.filter(({ length }) => length > 0)) {
      const result = await this.#test(some, env);
      if (result.noticed) return result;
    }
    return this.#test(tests, env);
  }

  /** Plays some files of a layer alone. */
  replay(files: readonly string[], { env }: TestLayer): Promise<LayerResult> {
    return this.#test(files, env);
  }

  /** The folder of tests for the room that a file is in: rooms of tests are named like those of sources. */
  #roomOf(file: string): string | undefined {
    const parts = dirname(file).split(sep);
    const room = parts[0] === "provider" ? parts.slice(1) : parts;
    for (; room.length > 0; room.pop()) {
      const folder = join("tests", ...room);
      if (existsSync(join(this.folder, folder))) return `${folder}/`;
    }
    return undefined;
  }

  async #test(tests: readonly string[], env: TestLayer["env"]): Promise<LayerResult> {
    const jest = ["node_modules/jest/bin/jest.js", "--bail", "--maxWorkers=1", ...tests];
    const { code, stdout, stderr } = await this.#node(jest, { env });
    const output = stdout + stderr;
    const failed = Array.from(output.matchAll(/^FAIL \w+ (\S+)/gm), ([, file = ""]) => file);
    // A run that ends without a test that fails has noticed nothing: something is wrong with the run.
    if (code !== 0 && failed.length === 0)
      throw new ToolError(`jest ended with ${code} in ${this.folder}:\n${output.slice(-4000)}`);
    return { noticed: code !== 0, output, failed: [...new Set(failed)] };
  }

  #node(
    args: readonly string[],
    { env: extra, minutes = mostMinutes }: { env?: TestLayer["env"]; minutes?: number } = {},
  ) {
    const { GPUFLEET_LOCAL_FOLDER: _folder, GPUFLEET_ENGINE: _engine, ...env } = process.env;
    return run(process.execPath, args, {
      cwd: this.folder,
      output: "capture",
      timeoutMs: minutes * 60_000,
      // That a bug is noticed is all there is to know: no failure is shrunk.
      env: { ...env, GPUFLEET_FAULT_SHRINK: "no", ...(this.engine && { GPUFLEET_ENGINE: this.engine }), ...extra },
    });
  }
}
