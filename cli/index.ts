import { Command } from "commander";
import { commentCommand } from "./comment";
import { completionCommand } from "./completion";
import { costCommand } from "./cost";
import { doctorCommand } from "./doctor";
import { emulatorCommand } from "./emulator";
import { expiredCommand } from "./expired";
import { orphansCommand } from "./orphans";
import { recoverCommand } from "./recover";
import { reportCommand } from "./report";

/**
 * `gpufleet`. Each command stands in a file of its own that imports what it works with only when it runs, so that help
 * is there at once.
 */
function createProgram(): Command {
  return new Command("gpufleet")
    .description(
      "GPU rentals, volumes and marketplace instances with Pulumi: the emulator and the tools around a stack.",
    )
    .option("-V, --version", "print the version")
    .addCommand(emulatorCommand())
    .addCommand(recoverCommand())
    .addCommand(commentCommand())
    .addCommand(costCommand())
    .addCommand(orphansCommand())
    .addCommand(expiredCommand())
    .addCommand(doctorCommand())
    .addCommand(reportCommand())
    .addCommand(completionCommand());
}

async function main(args: readonly string[]): Promise<void> {
  // Before commander, which wants the version in hand before it is asked for.
  if (args[0] === "-V" || args[0] === "--version") {
    const { packageVersion } = await import("../provider/shared/packageVersion");
    console.log(packageVersion());
    return;
  }
  await createProgram().parseAsync(args, { from: "user" });
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(`gpufleet: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
