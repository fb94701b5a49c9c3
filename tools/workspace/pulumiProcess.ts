/** One run of the `pulumi` command: what it said, how it ended, and the means to kill it on the way. */
import { type ChildProcess, spawn } from "node:child_process";
import { parseSummary, type Summary } from "./answers";

export interface Run {
  /** 128 and more where a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Both, in the order in which they came. */
  readonly output: string;
  readonly summary: Summary;
}

export interface RunningPulumi {
  readonly pid: number;
  readonly finished: Promise<Run>;
  /** What it has said so far. */
  output(): string;
  waitForOutput(pattern: RegExp): Promise<void>;
  /** kill -9 of the command alone: the provider processes go on, as they do when a terminal is closed. */
  kill(): Promise<void>;
  /** What Ctrl-C does. Like the others, nothing where it has already ended. */
  interrupt(): void;
  /** What a runner does whose job is cancelled. */
  terminate(): void;
}

const SIGNAL_NUMBERS: Partial<Record<NodeJS.Signals, number>> = { SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

export function startPulumi(args: readonly string[], options: { cwd: string; env: NodeJS.ProcessEnv }): RunningPulumi {
  const child = spawn("pulumi", args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const said = { stdout: "", stderr: "", output: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      said[name] += text;
      said.output += text;
      child.emit("said");
    });
  }
  const finished = new Promise<Run>((resolve, reject) => {
    child.once("error", reject);
    // Not "close": after a kill the provider processes keep the pipes open.
    child.once("exit", (code, signal) => {
      const finish = () => resolve({ code: exitCode(code, signal), ...said, summary: parseSummary(said.output) });
      if (signal === null) child.once("close", finish);
      else setImmediate(finish);
    });
  });

  return {
    pid: child.pid ?? 0,
    finished,
    output: () => said.output,
    waitForOutput: (pattern) => waitForOutput(child, pattern, () => said.output),
    async kill() {
      child.kill("SIGKILL");
      await finished;
    },
    interrupt() {
      child.kill("SIGINT");
    },
    terminate() {
      child.kill("SIGTERM");
    },
  };
}

function exitCode(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + ((signal && SIGNAL_NUMBERS[signal]) ?? 0);
}

function waitForOutput(child: ChildProcess, pattern: RegExp, output: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (!pattern.test(output())) return;
      child.off("said", look);
      resolve();
    };
    child.on("said", look);
    child.once("exit", () => reject(new Error(`pulumi ended without saying ${pattern}:\n${output()}`)));
    look();
  });
}

export function endProcesses(ids: readonly number[]): void {
  for (const id of ids) {
    try {
      process.kill(id, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}
