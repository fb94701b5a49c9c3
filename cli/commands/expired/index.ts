import { Command } from "commander";
import { exitCodes, exitCodesHelp } from "../../options/exitCodes";
import { placeOf, type StackFlags, withStackOptions } from "../../options/stack";

interface Flags extends StackFlags {
  json?: boolean;
  destroy?: boolean;
  yes?: boolean;
  allowDataLoss?: boolean;
}

export function expiredCommand(): Command {
  const command = new Command("expired")
    .description("what of this stack is past its expiresAt, and what it has cost since; --destroy ends it")
    .option("--json", "for machines")
    .option("--destroy", "end it through the engine, with whatever depends on it, so that the state stays true")
    .option("--yes", "with --destroy: really do it")
    .option("--allow-data-loss", "with --destroy: even if a volume goes along");
  return withStackOptions(command)
    .addHelpText(
      "after",
      `
Nothing ends a rental at its expiresAt while no one runs this: put \`gpufleet expired --destroy --yes\` on a schedule.
${exitCodesHelp("something is past its expiresAt and still there")}`,
    )
    .action(run);
}

async function run(flags: Flags): Promise<void> {
  const [{ Stack }, { findExpired }, { expiredJson, showExpired }, { destroyExpired }, { paintFor }] =
    await Promise.all([
      import("../../stack/stack"),
      import("./find"),
      import("./show"),
      import("./destroy"),
      import("../../terminal/style"),
    ]);
  const stack = new Stack(placeOf(flags));
  const now = Date.now();
  const expired = findExpired(await stack.exportState(), now);
  console.log(flags.json ? expiredJson(expired, now) : showExpired(expired, now, paintFor(process.stdout)));
  if (expired.length === 0) return;
  const say = (line: string) => (flags.json ? console.error(line) : console.log(line));
  const ended =
    flags.destroy === true &&
    (await destroyExpired(stack, expired, {
      yes: flags.yes === true,
      allowDataLoss: flags.allowDataLoss === true,
      say,
    }));
  if (!ended) process.exitCode = exitCodes.found;
}
