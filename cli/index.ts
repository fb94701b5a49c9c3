import { Command } from "commander";
import { messageOf } from "../provider/shared/messageOf";
import { commentCommand } from "./commands/comment";
import { completionCommand } from "./commands/completion";
import { costCommand } from "./commands/cost";
import { doctorCommand } from "./commands/doctor";
import { emulatorCommand } from "./commands/emulator";
import { expiredCommand } from "./commands/expired";
import { importCommand } from "./commands/import";
import { lsCommand } from "./commands/ls";
import { offersCommand } from "./commands/offers";
import { orphansCommand } from "./commands/orphans";
import { pluginCommand } from "./commands/plugin";
import { pricesCommand } from "./commands/prices";
import { recoverCommand } from "./commands/recover";
import { reportCommand } from "./commands/report";
import { sshCommand } from "./commands/ssh";
import { sshConfigCommand } from "./commands/sshConfig";
import { watchCommand } from "./commands/watch";

/**
 * `gpufleet`. The index of a command loads the rest of it only when it runs, so that help is there at once.
 */
function createProgram(): Command {
  return new Command("gpufleet")
    .description(
      "Tools for GPU rentals, volumes and marketplace instances with Pulumi, and an emulator of the service.",
    )
    .option("-V, --version", "print the version")
    .addCommand(emulatorCommand())
    .addCommand(lsCommand())
    .addCommand(offersCommand())
    .addCommand(importCommand())
    .addCommand(recoverCommand())
    .addCommand(commentCommand())
    .addCommand(costCommand())
    .addCommand(pricesCommand())
    .addCommand(orphansCommand())
    .addCommand(expiredCommand())
    .addCommand(watchCommand())
    .addCommand(sshCommand())
    .addCommand(sshConfigCommand())
    .addCommand(doctorCommand())
    .addCommand(reportCommand())
    .addCommand(pluginCommand())
    .addCommand(completionCommand());
}

async function main(args: readonly string[]): Promise<void> {
  // Before commander, which wants the version in hand before it is asked for.
  if (args[0] === "-V" || args[0] === "--version") {
    const { packageVersion } = await import("../provider/shared/packageVersion");
    const { print } = await import("./terminal");
    print(packageVersion());
    return;
  }
  await createProgram().parseAsync(args, { from: "user" });
}

main(process.argv.slice(2)).catch(async (error: unknown) => {
  const { complain } = await import("./terminal");
  complain(`gpufleet: ${messageOf(error)}`);
  process.exitCode = 1;
});
