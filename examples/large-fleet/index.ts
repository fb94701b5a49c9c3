/**
 * Large fleet
 *
 * Thousands of machines, spread over stacks that run side by side, and handled as one fleet.
 *
 * The engine's own work grows faster than a stack: 1,000 machines take more than twice as long in one stack as in five. So the fleet is
 * cut into parts, each a stack with a `GpuFleet`. The script scales them together, with one limit on the cost of all, shows one line of
 * progress, reads them as one list and destroys them as one.
 *
 * ```sh
 * npm start -- up 2000 --max-cost-per-hour 45000
 * npm start -- up 2500 --max-cost-per-hour 55000
 * npm start -- show
 * npm start -- destroy
 * ```
 *
 * Growing keeps every machine where it is; shrinking takes from the last part. If a part fails, the others go on, and the same command goes on
 * where it stopped. Every `up` refreshes first and replaces machines that have failed. The limit is checked before anything is rented:
 * as soon as one machine has a price, the price of all is known, and each part may only cost its share.
 *
 * Options: `--per-stack N` (200), `--at-once N` stacks (one per core). It uses the backend and the account from the environment. In a checkout, run
 * `source .gpufleet/env` first. The commands of this package see all parts at once:
 *
 * ```sh
 * npx gpufleet cost --cwd work --all-stacks
 * npx gpufleet orphans --cwd work --stack "part-*"
 * npx gpufleet report --cwd work --all-stacks --html fleet.html
 * ```
 */

import { mkdirSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { LocalWorkspace, type ProjectSettings } from "@pulumi/pulumi/automation";
import { GpuFleet } from "pulumi-gpufleet";
import { LargeFleet, type Part } from "./largeFleet";

/** The program of one part: everything that is to be in its stack. */
const programOf =
  ({ name, count, maxCostPerHour }: Part) =>
  async () => {
    const fleet = new GpuFleet(name, {
      kind: "bare-metal",
      count,
      gpuCount: 8,
      networkType: "infiniband",
      regions: ["us-central-1", "eu-west-3"],
      fallbackRegions: ["eu-west-4"],
      maxCostPerHour,
    });
    return { members: fleet.members, costPerHour: fleet.costPerHour };
  };

async function main() {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      "per-stack": { type: "string", default: "200" },
      "at-once": { type: "string", default: String(cpus().length) },
      "max-cost-per-hour": { type: "string" },
    },
  });
  // The engine's files. The folder is below the script, so that the engine finds the package in node_modules.
  const workDir = join(__dirname, "work");
  mkdirSync(workDir, { recursive: true });
  const projectSettings: ProjectSettings = { name: "large-fleet", runtime: "nodejs" };
  const limit = values["max-cost-per-hour"];
  const fleet = new LargeFleet({
    workspace: await LocalWorkspace.create({ workDir, projectSettings }),
    openStack: (stackName, program) =>
      LocalWorkspace.createOrSelectStack(
        { projectName: projectSettings.name, stackName, program },
        { workDir, projectSettings },
      ),
    programOf,
    perStack: wholeNumber("--per-stack", values["per-stack"]),
    atOnce: wholeNumber("--at-once", values["at-once"]),
    maxCostPerHour: limit === undefined ? undefined : Number(limit),
    show: showProgress,
  });

  const [command, count] = positionals;
  const { members, costPerHour, stacks } = await carryOut(fleet, command, count);
  const cost = costPerHour === undefined ? "price unknown" : `$${costPerHour.toFixed(2)}/h`;
  console.log(`${members.length} machines in ${stacks} stacks, ${cost}`);
  const places = members.map(({ region, status }) => `${status} in ${region}`);
  for (const place of [...new Set(places)].sort())
    console.log(`  ${places.filter((one) => one === place).length} ${place}`);
}

async function carryOut(fleet: LargeFleet, command: string | undefined, count: string | undefined) {
  if (command === "up") return fleet.scaleTo(wholeNumber("the number of machines", count));
  if (command === "destroy") await fleet.destroy();
  else if (command !== "show") throw new Error("say what to do: up COUNT, show or destroy");
  return fleet.read();
}

function wholeNumber(what: string, text: string | undefined): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${what} must be a whole number, 1 or more`);
  return value;
}

/** One line that is written over on a terminal, and a line for every change elsewhere. */
function showProgress(line: string, isLast: boolean) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}${isLast ? "\n" : ""}`);
  else process.stderr.write(`${line}\n`);
}

main().catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
