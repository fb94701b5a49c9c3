/** The two commands of the README, when everything is already there. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { run, ToolError } from "../tools/bootstrap/command";
import { local, root, testDurationFile } from "../tools/bootstrap/paths";
import type { Context, Row } from "./row";
import { describe, median } from "./sample";

/** Runs an npm script to its end, in a local folder of its own and never on a real account. Gives the seconds. */
async function timeScript(name: string, folder: string): Promise<number> {
  const { GPUFLEET_BASE_URL: _url, GPUFLEET_API_KEY: _key, ...env } = process.env;
  const started = performance.now();
  const { code, stdout, stderr } = await run("npm", ["run", name], {
    cwd: root,
    env: { ...env, GPUFLEET_LOCAL_FOLDER: folder },
    output: "capture",
  });
  if (code !== 0) throw new ToolError(`npm run ${name} failed:\n${stdout}\n${stderr}`);
  return (performance.now() - started) / 1000;
}

async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  // Inside the checkout, where programs find the package.
  mkdirSync(join(local, "bench"), { recursive: true });
  const folder = mkdtempSync(join(local, "bench", "command-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const patience = 15;

export function starting({ rounds, say }: Context): Promise<Row[]> {
  return inFolder(async (folder) => {
    const times: number[] = [];
    try {
      await timeScript("start", folder);
      for (let round = 1; round <= rounds; round += 1) {
        times.push(await timeScript("start", folder));
        say(`round ${round} of ${rounds}: npm start ${times.at(-1)?.toFixed(1)} s`);
      }
    } finally {
      // Ends the emulator too, which would outlive its folder.
      await timeScript("destroy", folder);
    }
    return [
      {
        what: "npm start, nothing to do",
        goal: `≤ ${patience} s`,
        ours: describe(times),
        beside: "",
        ratio: "",
        met: median(times) <= patience,
      },
    ];
  });
}

const mostMinutes = 20;

const lastRun = z.object({ seconds: z.number(), at: z.string() });

/** The last whole run that passed in this checkout; without one, a run now. */
export async function testing({ quick }: Context): Promise<Row[]> {
  if (quick) return [];
  if (!existsSync(testDurationFile)) await timeScript("test", local);
  const { seconds, at } = lastRun.parse(JSON.parse(readFileSync(testDurationFile, "utf8")));
  const minutes = seconds / 60;
  return [
    {
      what: "npm test, warm",
      goal: `under ${mostMinutes} min`,
      ours: `${minutes.toFixed(1)} min (one run, ${at.slice(0, 16).replace("T", " ")})`,
      beside: "",
      ratio: "",
      met: minutes < mostMinutes,
    },
  ];
}
