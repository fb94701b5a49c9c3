import { Command } from "commander";
import { exitCodes, exitCodesHelp } from "../../options/exitCodes";
import { placeOf, type StackFlags, withStackOptions } from "../../options/stack";

export function doctorCommand(): Command {
  const command = new Command("doctor")
    .description("look at everything that must be right: engine, project, key, service, clock; and say what to do")
    .option("--json", "for machines");
  return withStackOptions(command)
    .addHelpText("after", exitCodesHelp("something is wrong and must be put right"))
    .action(run);
}

async function run(flags: StackFlags & { json?: boolean }): Promise<void> {
  const [{ examine }, { showFindings }, { paintFor }] = await Promise.all([
    import("./examine"),
    import("./show"),
    import("../../terminal/style"),
  ]);
  const findings = await examine(placeOf(flags), process.env);
  console.log(flags.json ? JSON.stringify({ findings }, null, 2) : showFindings(findings, paintFor(process.stdout)));
  if (findings.some(({ is }) => is === "wrong")) process.exitCode = exitCodes.found;
}
