import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { cleanText } from "../../provider/shared/cleanText";
import type { Place } from "../place";
import { statusLine } from "../terminal";

/** `pulumi` failed, with what it printed. */
export class PulumiError extends Error {
  override readonly name = "PulumiError";

  constructor(
    command: string,
    /** What it printed, without the prefix. */
    readonly reason: string,
  ) {
    super(`\`pulumi ${command}\` failed: ${reason}`);
  }
}

/** Longest text of `pulumi` that is shown; more than this helps nobody. */
const longestReason = 4000;

/** Before the command is run again. */
const pauses = [250, 1000];

/** A backend of files writes what it keeps beside the state in place: whoever reads at that moment fails, and has done nothing. */
const isHalfWritten = (reason: string) =>
  /failed to load checkpoint: .*(unexpected end of JSON input|EOF)/.test(reason);

/** A backend of files keeps a note beside each file, which a run that is killed at that moment leaves empty for good. */
const noteIsEmpty =
  "If no run is under way, one was killed while it wrote: in the folder of the state, delete the file STACK.json.attrs if it is empty. STACK.json itself is whole, or STACK.json.bak is";

/** Runs `pulumi` without questions and returns what it printed. Throws `PulumiError` where it fails. */
export async function runPulumi(
  place: Place,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  for (const pause of pauses) {
    try {
      return await runOnce(place, args, environment);
    } catch (error) {
      if (!(error instanceof PulumiError && isHalfWritten(error.reason))) throw error;
      await sleep(pause);
    }
  }
  try {
    return await runOnce(place, args, environment);
  } catch (error) {
    if (!(error instanceof PulumiError && isHalfWritten(error.reason))) throw error;
    throw new PulumiError(commandIn(args), `${error.reason}. ${noteIsEmpty}`);
  }
}

async function runOnce(
  place: Place,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const where = place.stack === undefined ? [] : ["--stack", place.stack];
  const command = commandIn(args);
  const { code, stdout, stderr } = await statusLine.during(`Running pulumi ${command}…`, () =>
    finish(place.cwd, [...args, ...where, "--non-interactive", "--color", "never"], environment),
  );
  if (code === 0) return stdout;
  throw new PulumiError(command, reasonIn(stderr.trim() || stdout.trim() || `it exited with ${code}`));
}

function finish(
  cwd: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn("pulumi", args, {
      cwd,
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => {
        said[name] += text;
      });
    }
    child.once("error", (error) => reject(notStarted(error, cwd)));
    child.once("close", (code) => resolve({ code, ...said }));
  });
}

function notStarted(error: Error, cwd: string): Error {
  if (!("code" in error) || error.code !== "ENOENT") return error;
  return existsSync(cwd)
    ? new Error("`pulumi` is not on the PATH. Install the Pulumi CLI: this command runs it.")
    : new Error(`there is no folder ${cwd}`);
}

/** The command without its options, to name it by. */
function commandIn(args: readonly string[]): string {
  const end = args.findIndex((arg) => arg.startsWith("-"));
  return args.slice(0, end < 0 ? undefined : end).join(" ");
}

function reasonIn(text: string): string {
  return cleanText(text.replace(/^error: /, ""), { max: longestReason });
}
