import { Command } from "commander";
import { emulatorCommand } from "./emulator";

/**
 * `gpufleet`. Each command stands in a file of its own that imports what it works with only when it runs, so that help
 * is there at once.
 */
const program = new Command("gpufleet")
  .description("GPU rentals, volumes and marketplace instances with Pulumi: the emulator and the tools around a stack.")
  .option("-V, --version", "print the version")
  .on("option:version", async () => {
    const { packageVersion } = await import("../provider/client/version");
    console.log(packageVersion());
    process.exit(0);
  })
  .addCommand(emulatorCommand());

program.parseAsync().catch((error: unknown) => {
  console.error(`gpufleet: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
