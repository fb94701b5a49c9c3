import { Command } from "commander";
import { whole, withStackOptions } from "../../options";
import type { Flags } from "./run";

export function sshCommand(): Command {
  const command = new Command("ssh")
    .description("log in to a machine of a stack, or run a command on it")
    .usage("[options] <machine> [-- command]")
    .argument("<machine>", "name, label or id; a node of a cluster: name/2")
    .argument("[command...]", "command to run there")
    .option("--node <number>", "node of a cluster, from 1 up", whole(1))
    .option("-i, --identity <file>", "private key that opens it (default: gpufleet:sshKeyFile, else as ssh chooses)")
    .option(
      "-L, --forward <port:host:port>",
      "port of this computer to forward; may be repeated",
      (spec: string, before: string[]) => [...before, spec],
      [],
    );
  return withStackOptions(command)
    .addHelpText(
      "after",
      `
Runs your own ssh, with the address, the user and the host key of the machine. Examples:
  gpufleet ssh train
  gpufleet ssh train -- nvidia-smi
  gpufleet ssh train -L 8888:localhost:8888

Exit code: that of the command; 255 if ssh failed; 1 if there is no such machine.`,
    )
    .action(async (machine: string, words: string[], flags: Flags) =>
      (await import("./run")).run(machine, words, flags),
    );
}
