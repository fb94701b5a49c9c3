import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { run, ToolError } from "../../../tools/bootstrap/command";
import { root } from "../../../tools/bootstrap/paths";
import type { Layer } from "./layers";

/** Not copied: what is installed, built or left behind by running. */
const notOurs = /^(\.git|\.gpufleet|node_modules|coverage|dist)$/;
const mostMinutes = 30;

export interface LayerResult {
  /** Whether a test of the layer has failed. */
  noticed: boolean;
  output: string;
}

/** A bug as it is planted. */
export interface Planted {
  /** Where it is. */
  file: string;
  /** The tests that came with it. */
  tests: readonly string[];
  /** The schedules that come by there; any, if left out. */
  numbers?: readonly number[] | undefined;
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

  async play({ tests, nearestFirst, env }: Layer, bug?: Planted): Promise<LayerResult> {
    if (bug?.numbers) return this.#test(tests, { ...env, GPUFLEET_FAULT_NUMBERS: bug.numbers.join() });
    const room = bug && this.#roomOf(bug.file);
    const nearest = bug && nearestFirst ? [bug.tests, room === undefined ? [] : [room]] : [];
    for (const some of nearest.filter(({ length }) => length > 0)) {
      const result = await this.#test(some, env);
      if (result.noticed) return result;
    }
    return this.#test(tests, env);
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

  async #test(tests: readonly string[], env: Layer["env"]): Promise<LayerResult> {
    const jest = ["node_modules/jest/bin/jest.js", "--bail", "--maxWorkers=2", ...tests];
    const { code, stdout, stderr } = await this.#node(jest, env);
    const output = stdout + stderr;
    const failed = /^Tests:.* [1-9]\d* failed/m.test(output);
    // A run that ends without a test that fails has noticed nothing: something is wrong with the run.
    if (code !== 0 && !failed)
      throw new ToolError(`jest ended with ${code} in ${this.folder}:\n${output.slice(-4000)}`);
    return { noticed: failed, output };
  }

  #node(args: readonly string[], extra: Readonly<Record<string, string>> = {}) {
    const { GPUFLEET_LOCAL_FOLDER: _folder, GPUFLEET_ENGINE: _engine, ...env } = process.env;
    return run(process.execPath, args, {
      cwd: this.folder,
      output: "capture",
      timeoutMs: mostMinutes * 60_000,
      // That a bug is noticed is all there is to know: no failure is shrunk.
      env: { ...env, GPUFLEET_FAULT_SHRINK: "no", ...(this.engine && { GPUFLEET_ENGINE: this.engine }), ...extra },
    });
  }
}
