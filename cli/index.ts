import { Command } from "commander";
import { commentCommand } from "./comment";
import { emulatorCommand } from "./emulator";
import { recoverCommand } from "./recover";

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
    .addCommand(commentCommand());
}

async function main(args: readonly string[]): Promise<void> {
  // Before commander, which wants the version in hand before it is asked for.
  if (args[0] === "-V" || args[0] === "--version") {
    const { packageVersion } = await import("../provider/client/version");
    console.log(packageVersion());
    return;
  }
  await createProgram().parseAsync(args, { from: "user" });
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(`gpufleet: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
