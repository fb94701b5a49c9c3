import { Command, Option } from "commander";
import { plainExitCodesHelp, withStackOptions } from "../../options";
import type { Flags } from "./run";

export function sshConfigCommand(): Command {
  const command = new Command("ssh-config")
    .description("print the machines of a stack as hosts for ssh, or write them where ssh finds them")
    .option("--write", "write them to ~/.ssh/gpufleet, included by ~/.ssh/config")
    .addOption(
      new Option("--remove", "remove what --write has written, and the host keys of the stack").conflicts("write"),
    );
  return withStackOptions(command)
    .addHelpText(
      "after",
      `
Afterwards \`ssh NAME\`, scp, rsync and editors know the machines by their names in the program. Run it again when machines were added or
replaced. A machine that is deleted on this computer takes its entry along, the last one everything.
${plainExitCodesHelp}`,
    )
    .action(async (flags: Flags) => (await import("./run")).run(flags));
}
