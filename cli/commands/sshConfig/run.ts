import { count } from "../../../provider/shared/count";
import { hostOptions } from "../../../provider/shared/sshArguments";
import { removeSshFiles, writeSshFile } from "../../../provider/shared/sshFiles";
import { writeHost } from "../../../provider/shared/sshHosts";
import { placeOf, type StackFlags } from "../../options";
import { filesOfStack, readStackMachines, type StackMachines } from "../../ssh";
import { print, withoutKeys } from "../../terminal";

export interface Flags extends StackFlags {
  write?: boolean;
  remove?: boolean;
}

export async function run(flags: Flags): Promise<void> {
  if (flags.remove) return remove(flags);
  const found = await readStackMachines(placeOf(flags));
  if (!flags.write) return print(configOf(found).trimEnd());
  const { name, machines, files } = found;
  const hosts = machines.flatMap((machine) => machine.hosts);
  const [first] = hosts;
  if (!first) {
    const removed = removeSshFiles(files) ? ` Removed ${files.config}.` : "";
    return print(`No machine of ${name} has an ssh address.${removed}`);
  }
  writeSshFile(files, withoutKeys(configOf(found)));
  print(`Wrote ${files.config}: ${count(hosts.length, "host")}. Try: ssh ${first.name}`);
}

async function remove(flags: Flags): Promise<void> {
  const { name, files } = await filesOfStack(placeOf(flags));
  print(
    removeSshFiles(files)
      ? `Removed the hosts and host keys of ${name}.`
      : `There is nothing of ${name} in ~/.ssh/gpufleet.`,
  );
}

function configOf({ name, machines, files, keyFile }: StackMachines): string {
  const options = hostOptions(files, keyFile).map(([option, value]) => `${option} ${value}`);
  const blocks = machines.flatMap(({ hosts }) => hosts.map((host) => writeHost(host, options)));
  const without = machines.filter(({ hosts }) => hosts.length === 0);
  const comments = without.map((machine) => `# ${machine.name} has no ssh address in the state.`);
  return [`# Machines of ${name}. Written by \`gpufleet ssh-config\`.\n`, ...comments, ...blocks].join("\n");
}
