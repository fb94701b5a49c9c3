import { spawn } from "node:child_process";
import { constants } from "node:os";
import { hostOptions, noSshProgram, sshArguments } from "../../../provider/shared/sshArguments";
import { makeSshFolder } from "../../../provider/shared/sshFiles";
import { placeOf, type StackFlags } from "../../options";
import { chooseHost, readStackMachines } from "../../ssh";

export interface Flags extends StackFlags {
  node?: number;
  identity?: string;
  forward: string[];
}

export async function run(machine: string, words: readonly string[], flags: Flags): Promise<void> {
  const { name, machines, files, keyFile } = await readStackMachines(placeOf(flags));
  const host = chooseHost(machines, name, machine, flags.node);
  makeSshFolder(files);
  const forwards = flags.forward.flatMap((spec) => ["-L", spec]);
  const args = sshArguments(host, hostOptions(files, flags.identity ?? keyFile), forwards);
  process.exitCode = await runSsh([...args, ...words]);
}

/** With this terminal, until it ends. An interrupt is for what runs there. */
function runSsh(args: readonly string[]): Promise<number> {
  const ignore = () => undefined;
  process.on("SIGINT", ignore);
  return new Promise<number>((resolve, reject) => {
    const child = spawn("ssh", args, { stdio: "inherit" });
    for (const signal of ["SIGTERM", "SIGHUP"] as const) process.once(signal, () => child.kill(signal));
    child.once("error", (error) => {
      const isMissing = "code" in error && error.code === "ENOENT";
      reject(isMissing ? new Error(noSshProgram) : error);
    });
    child.once("exit", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  }).finally(() => process.off("SIGINT", ignore));
}
