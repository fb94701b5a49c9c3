import { Command } from "commander";
import { withStackOptions } from "../../options";
import type { Flags } from "./run";

const more = `
Only the automatic label of a create proves which machine it created. Where there is no such proof, the create stays in the state
as unresolved, and is named with what may be its result, until --adopt or --nothing-made settles it.

It asks no questions, so that it can run in a pipeline before \`pulumi up\`. A copy of the state is kept in the project, in
.gpufleet/recover.

Exit codes: 0 recovered, nothing to recover, or what is left is named; 1 refused or failed, and the state is unchanged; also 1 where a list could not
be read or an account could not be asked, so that there may be more to recover.`;

export function recoverCommand(): Command {
  const command = new Command("recover")
    .description("bring what an interrupted `pulumi up` created into the state")
    .option("--dry-run", "show what would be done, and change nothing")
    .option("--adopt <id>", "take over this machine for the resource of --urn, without proof that it is the right one")
    .option("--nothing-made", "drop the unresolved or interrupted create of --urn: you know that it created nothing")
    .option("--urn <urn>", "the resource for --adopt or --nothing-made")
    .option(
      "--force",
      "drop interrupted creates of other providers; with --adopt: take over a machine that does not match the resource, or in place of one that runs; with --nothing-made: drop a create whose label is listed",
    );
  return withStackOptions(command)
    .addHelpText("after", more)
    .action(async (flags: Flags) => (await import("./run")).run(flags));
}
