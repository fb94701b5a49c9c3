import { Command, InvalidArgumentError, Option } from "commander";
import {
  createEmulator,
  type DialectName,
  defaults,
  dialectNames,
  type EmulatorOptions,
  type VolumeIdForm,
  volumeIdForms,
} from "../../../emulator";
import { messageOf } from "../../../provider/shared/messageOf";
import { anyNumber, atLeastZero, whole, withChoices } from "../../options";

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
  account?: Record<string, string>;
  volumeIds: VolumeIdForm;
  clockSkewSeconds: number;
  ssh: boolean;
  sshServer?: boolean;
  sshKey?: string;
}

export function emulatorCommand(): Command {
  return new Command("emulator")
    .description("run an emulator of the service on this machine")
    .option("--port <number>", "port to listen on; 0 picks a free one", whole(0, 65_535), defaults.port)
    .option("--data <folder>", "keep all data in this folder across restarts")
    .option("--api-key <key>", "API key that clients must send", defaults.apiKey)
    .option("--account <name=key>", "another account with its API key; may be repeated", addAccount)
    .option(
      "--provision-seconds <seconds>",
      "time until a new resource is ready",
      atLeastZero,
      defaults.provisionSeconds,
    )
    .option("--end-seconds <seconds>", "time until a terminated resource is gone", atLeastZero, defaults.endSeconds)
    .option("--seed <number>", "seed of the marketplace machines and inference answers", whole(0), defaults.seed)
    .addOption(
      withChoices(
        new Option("--dialect <name>", "which variant of the undocumented endpoints to emulate"),
        dialectNames,
      ).default(defaults.dialect),
    )
    .option("--capacity <gpus>", "GPUs available per region (default: unlimited)", whole(0))
    .option(
      "--balance <usd>",
      "starting balance in USD; creates are refused once it is spent (default: unlimited)",
      atLeastZero,
    )
    .addOption(
      withChoices(
        new Option("--volume-ids <form>", "whether `id` and `storageVolumeId` of a volume are the same number"),
        volumeIdForms,
      ).default(defaults.volumeIds),
    )
    .option(
      "--clock-skew-seconds <seconds>",
      "how far the service's clock is ahead; behind if negative",
      anyNumber,
      defaults.clockSkewSeconds,
    )
    .option("--no-ssh", "do not open an SSH port per machine")
    .option("--ssh-server", "let people log in to the machines, with the OpenSSH server of this computer")
    .option("--ssh-key <file>", "public key that opens the machines (default: those of ~/.ssh and of the ssh agent)")
    .action(run);
}

async function run(flags: Flags): Promise<void> {
  const emulator = createEmulator(optionsOf(flags));
  const address = await emulator.listen(flags.port).catch(async (error: unknown) => {
    await emulator.close();
    throw new Error(`cannot listen on port ${flags.port}: ${messageOf(error)}`, {
      cause: error,
    });
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => emulator.close());
  const { print } = await import("../../terminal");
  print(`gpufleet emulator listening on ${address.url}`);
}

function optionsOf({ port: _, data, account, sshServer, sshKey, ...flags }: Flags): EmulatorOptions {
  return {
    ...flags,
    ...(data === undefined ? {} : { dataDir: data }),
    ...(account === undefined ? {} : { apiKeys: account }),
    ...(sshServer ? { sshServer: sshKey === undefined ? {} : { keyFile: sshKey } } : {}),
  };
}

function addAccount(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, key] = /^([\w-]+)=(\S+)$/.exec(text) ?? [];
  if (name === undefined || key === undefined) throw new InvalidArgumentError("It must look like name=key.");
  return { ...before, [key]: name };
}
