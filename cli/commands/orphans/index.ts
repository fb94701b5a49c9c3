import { Command, InvalidArgumentError } from "commander";
import { exitCodes, exitCodesHelp } from "../../options/exitCodes";
import { placeOf, type StackFlags, withStackOptions } from "../../options/stack";

interface Flags extends StackFlags {
  json?: boolean;
  delete?: string[];
  yes?: boolean;
  graceMinutes: number;
}

/** A create that is under way elsewhere shows on the service before it is in the state. */
const defaultGraceMinutes = 60;

export function orphansCommand(): Command {
  const command = new Command("orphans")
    .description(
      "what the account runs that this stack's state does not know of: with its mark, with another's, with none",
    )
    .option("--json", "for machines")
    .option(
      "--delete <id...>",
      "end these; only what bears this stack's mark, is not in its state, and is past the grace time",
    )
    .option("--yes", "with --delete: really do it")
    .option(
      "--grace-minutes <minutes>",
      "how old an orphan must be to be ended: a create under way shows before it is in the state",
      minutes,
      defaultGraceMinutes,
    );
  return withStackOptions(command)
    .addHelpText("after", exitCodesHelp("there are orphans of this stack; with --delete, some are left"))
    .action(run);
}

async function run(flags: Flags): Promise<void> {
  const [{ readSituation }, { sortOrphans }, { showOrphans, orphansJson }, { endOrphans }, { paintFor }] =
    await Promise.all([
      import("../../account/situation"),
      import("./sort"),
      import("./show"),
      import("./end"),
      import("../../terminal/style"),
    ]);
  const situation = await readSituation(placeOf(flags));
  try {
    const orphans = sortOrphans(situation);
    if (!flags.delete) {
      console.log(
        flags.json ? orphansJson(orphans, Date.now()) : showOrphans(orphans, Date.now(), paintFor(process.stdout)),
      );
      if (orphans.own.length > 0) process.exitCode = exitCodes.found;
      return;
    }
    const left = await endOrphans(situation, orphans, {
      ids: flags.delete,
      yes: flags.yes === true,
      graceMs: flags.graceMinutes * 60_000,
      now: Date.now(),
      say: (line) => console.log(line),
    });
    if (left > 0) process.exitCode = exitCodes.found;
  } finally {
    await situation.runtime.client.close();
  }
}

function minutes(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError("It must be a number of minutes, 0 or more.");
}
