import { Command } from "commander";
import { placeOf, type StackFlags, withStackOptions } from "../../options/stack";

interface Flags extends StackFlags {
  dryRun?: boolean;
  adopt?: string;
  urn?: string;
  force?: boolean;
}

const more = `
Nothing is asked, so it can stand in a pipeline before \`pulumi up\`. Where nothing is to be done it says nothing.
A copy of the state is kept in .gpufleet/recover of the project.

Exit codes: 0 settled, or nothing to settle; 1 refused or failed, and the state is as it was.`;

export function recoverCommand(): Command {
  const command = new Command("recover")
    .description("settle what a killed `pulumi up` has left behind: bring what it made into the state")
    .option("--dry-run", "show what would be done, and change nothing")
    .option("--adopt <id>", "take this machine over for the resource of --urn, on your word")
    .option("--urn <urn>", "the resource that --adopt is for")
    .option(
      "--force",
      "drop interrupted creates of other providers; with --adopt, take over what looks like another's",
    );
  return withStackOptions(command).addHelpText("after", more).action(run);
}

async function run(flags: Flags): Promise<void> {
  const { adopt, urn, dryRun = false, force = false } = flags;
  if ((adopt === undefined) !== (urn === undefined)) throw new Error("--adopt and --urn go together");
  const [{ recover }, { Stack }] = await Promise.all([import("./recover"), import("../../stack/stack")]);
  await recover(new Stack(placeOf(flags)), {
    dryRun,
    force,
    adopt: adopt === undefined || urn === undefined ? undefined : { id: adopt, urn },
    say: (line) => console.log(line),
    note: (line) => console.error(line),
  });
}
