import { Command } from "commander";
import { exitCodesHelp, withJsonOption, withStackOptions } from "../../options";
import type { Flags } from "./run";

export function doctorCommand(): Command {
  const command = new Command("doctor").description(
    "check Node, the engine, project, backend, stack, lock, configuration, API key, service and clock, and say how to fix what is wrong",
  );
  return withStackOptions(withJsonOption(command))
    .addHelpText("after", exitCodesHelp("something is wrong and must be fixed"))
    .action(async (flags: Flags) => (await import("./run")).run(flags));
}
