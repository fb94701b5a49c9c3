import { Command, Option } from "commander";
import { createEmulator, type DialectName, defaults, dialectNames, type EmulatorOptions } from "../../../emulator";
import { atLeastZero, whole } from "../../options";

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
    .description("run an emulator of the service on this machine")
    .option("--port <number>", "port to listen on; 0 picks a free one", whole(0, 65_535), defaults.port)
    .option("--data <folder>", "keep all data in this folder across restarts")
    .option("--api-key <key>", "API key that clients must send", defaults.apiKey)
    .option(
      "--provision-seconds <seconds>",
      "time until a new resource is ready",
      atLeastZero,
      defaults.provisionSeconds,
    )
    .option("--end-seconds <seconds>", "time until a terminated resource is gone", atLeastZero, defaults.endSeconds)
    .option("--seed <number>", "seed of the marketplace machines and inference answers", whole(0), defaults.seed)
    .addOption(
      new Option("--dialect <name>", "which variant of the undocumented endpoints to emulate")
        .choices(dialectNames)
        .default(defaults.dialect),
    )
    .option("--capacity <gpus>", "GPUs available per region (default: unlimited)", whole(0))
    .option(
      "--balance <usd>",
      "starting balance in USD; creates are refused once it is spent (default: unlimited)",
      atLeastZero,
    )
    .option("--no-ssh", "do not open an SSH port per machine")
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
