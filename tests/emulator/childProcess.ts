import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { transformSync } from "@swc/core";

const root = join(__dirname, "..", "..");

/**
 * The command as it stands in the sources, compiled into a folder of its own: `dist` may be older than they are. The folder
 * is inside the checkout so that dependencies are found.
 */
export function compileCommand(): { script: string; dispose(): void } {
  const local = join(root, ".gpufleet");
  mkdirSync(local, { recursive: true });
  const folder = mkdtempSync(join(local, "test-command-"));
  for (const part of ["cli", "emulator", "provider"]) {
    for (const entry of readdirSync(join(root, part), { recursive: true, withFileTypes: true })) {
      const source = join(entry.parentPath, entry.name);
      if (!entry.isFile()) continue;
      const target = join(folder, relative(root, source).replace(/\.ts$/, ".js"));
      mkdirSync(dirname(target), { recursive: true });
      const text = readFileSync(source, "utf8");
      writeFileSync(target, source.endsWith(".ts") ? transformSync(text, swcOptions).code : text);
    }
  }
  return {
    script: join(folder, "cli", "index.js"),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const swcOptions = {
  jsc: { parser: { syntax: "typescript" }, target: "es2022" },
  module: { type: "commonjs" },
} as const;

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A child process with what it has said so far. */
export class Child {
  stdout = "";
  stderr = "";
  readonly #process: ChildProcess;
  readonly #exit: Promise<unknown>;

  constructor(script: string, args: readonly string[], nodeArgs: readonly string[] = []) {
    this.#process = spawn(process.execPath, [...nodeArgs, script, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    this.#exit = once(this.#process, "close");
    this.#process.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
    });
    this.#process.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
  }

  /** Where it listens, once it says so. */
  async listening(): Promise<string> {
    const output = this.#process.stdout;
    if (!output) throw new Error("its output is not read");
    for (;;) {
      const url = /^gpufleet emulator listening on (http:\/\/127\.0\.0\.1:\d+)\n/.exec(this.stdout)?.[1];
      if (url !== undefined) return url;
      await Promise.race([once(output, "data"), this.#exit.then(() => Promise.reject(new Error(this.stderr)))]);
    }
  }

  async kill(signal: NodeJS.Signals): Promise<Finished> {
    this.#process.kill(signal);
    return this.finished();
  }

  async finished(): Promise<Finished> {
    await this.#exit;
    return { code: this.#process.exitCode, stdout: this.stdout, stderr: this.stderr };
  }
}
