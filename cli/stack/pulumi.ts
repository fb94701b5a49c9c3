import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { cleanText } from "../../provider/shared/cleanText";

/** Where a stack is worked on, as the command line of `pulumi` takes it. */
export interface Place {
  /** A folder of the Pulumi project. */
  cwd: string;
  /** The stack's name; the selected one if left out. */
  stack?: string | undefined;
}

/** `pulumi` ended with an error, and these are its words. */
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

/** Runs `pulumi` without questions and gives what it printed. Throws `PulumiError` where it fails. */
export async function runPulumi(place: Place, args: readonly string[]): Promise<string> {
  const where = place.stack === undefined ? [] : ["--stack", place.stack];
  const { code, stdout, stderr } = await finish(place.cwd, [
    ...args,
    ...where,
    "--non-interactive",
    "--color",
    "never",
  ]);
  if (code === 0) return stdout;
  throw new PulumiError(commandIn(args), reasonIn(stderr.trim() || stdout.trim() || `it ended with code ${code}`));
}

function finish(
  cwd: string,
  args: readonly string[],
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn("pulumi", args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
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
    ? new Error("there is no `pulumi` on the PATH, and this command works through it. Install the Pulumi CLI first.")
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
