/**
 * Automation
 *
 * A script that scales a fleet up and down, without a Pulumi project.
 *
 * It creates two machines, scales to four and then to one, prints the members each time, and destroys everything.
 *
 * ```sh
 * npm start
 * ```
 *
 * It uses the backend and the account from the environment. In a checkout, run `source .gpufleet/env` first.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { LocalWorkspace } from "@pulumi/pulumi/automation";
import { type FleetMember, GpuFleet } from "pulumi-gpufleet";

/** A program with a fleet of this size. */
const fleetOf = (count: number) => async () => {
  const fleet = new GpuFleet("batch", {
    kind: "bare-metal",
    count,
    gpuCount: 8,
    networkType: "infiniband",
    regions: ["us-central-1", "eu-west-3"],
    fallbackRegions: ["eu-west-4"],
  });
  return { members: fleet.members, costPerHour: fleet.costPerHour };
};

async function main() {
  // The engine's files. The folder is below the script, so that the engine finds the package in node_modules.
  const workDir = join(__dirname, "work");
  mkdirSync(workDir, { recursive: true });
  const stack = await LocalWorkspace.createOrSelectStack(
    { projectName: "automation", stackName: "dev", program: fleetOf(2) },
    { workDir },
  );

  for (const count of [2, 4, 1]) {
    stack.workspace.program = fleetOf(count);
    const { outputs, summary } = await stack.up({ refresh: true });
    const members: FleetMember[] = outputs.members?.value ?? [];
    const cost = outputs.costPerHour ? `$${outputs.costPerHour.value}/h` : "price unknown";
    console.log(`fleet of ${members.length}, ${cost}, ${JSON.stringify(summary.resourceChanges)}`);
    for (const { name, status, region, sshCommand } of members)
      console.log(`  ${name} ${status} in ${region}: ${sshCommand}`);
  }

  await stack.destroy();
  await stack.workspace.removeStack("dev");
  console.log("nothing is left");
}

main().catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
