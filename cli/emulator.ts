import { Command, InvalidArgumentError, Option } from "commander";
import { createEmulator, type DialectName, defaults, dialectNames, type EmulatorOptions } from "../emulator";

interface Flags {
  port: number;
  data?: string;
  apiKey: string;
  provisionSeconds: number;
  endSeconds: number;
  seed: number;
  dialect: DialectName;
  capacity?: number;
  balance?: number;
  ssh: boolean;
}

export function emulatorCommand(): Command {
  return new Command("emulator")
    .description("run the service on this machine: same interface, no bill")
    .option("--port <number>", "port to listen on; 0 picks one", whole(0, 65_535), defaults.port)
    .option("--data <folder>", "keep everything in this folder, across restarts")
    .option("--api-key <key>", "the key that requests must bear", defaults.apiKey)
    .option("--provision-seconds <seconds>", "how long things take to be ready", atLeastZero, defaults.provisionSeconds)
    .option("--end-seconds <seconds>", "how long things take to end", atLeastZero, defaults.endSeconds)
    .option("--seed <number>", "decides the marketplace and what inference answers", whole(0), defaults.seed)
    .addOption(
      new Option("--dialect <name>", "how to speak where the interface is silent")
        .choices(dialectNames)
        .default(defaults.dialect),
    )
    .option("--capacity <gpus>", "GPUs that can be rented per region (default: no limit)", whole(0))
    .option(
      "--balance <usd>",
      "money to begin with; creates are refused once it is spent (default: no limit)",
      atLeastZero,
    )
    .option("--no-ssh", "do not open a port for each machine")
    .action(run);
}

async function run(flags: Flags): Promise<void> {
  const emulator = createEmulator(optionsOf(flags));
  const address = await emulator.listen(flags.port).catch(async (error: unknown) => {
    await emulator.close();
    throw new Error(`cannot listen on port ${flags.port}: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => emulator.close());
  console.log(`gpufleet emulator listening on ${address.url}`);
}

function optionsOf({ port: _, data, ...flags }: Flags): EmulatorOptions {
  return data === undefined ? flags : { ...flags, dataDir: data };
}

function whole(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

function atLeastZero(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError("It must be a number, 0 or more.");
}
