import type { SshFiles } from "./sshFiles";
import type { SshHost } from "./sshHosts";

/** Where there is no `ssh` to start. */
export const noSshProgram = "there is no ssh program on the PATH (Debian: openssh-client)";

type Option = readonly [name: string, value: string];

/**
 * How ssh is to treat a host of a stack: its key is kept under the machine's own name, in a file of the stack. Not hashed, so that a machine that
 * has ended can take its key along.
 */
export function hostOptions({ knownHosts }: Pick<SshFiles, "knownHosts">, keyFile: string | undefined): Option[] {
  const own: Option[] = [
    ["UserKnownHostsFile", quoted(knownHosts)],
    ["HashKnownHosts", "no"],
  ];
  return keyFile === undefined ? own : [...own, ["IdentityFile", quoted(keyFile)], ["IdentitiesOnly", "yes"]];
}

/** The arguments of `ssh` up to the command. */
export function sshArguments(
  { host, port, user, alias }: Omit<SshHost, "name">,
  options: readonly Option[],
  flags: readonly string[] = [],
): string[] {
  const all: Option[] = [["HostKeyAlias", alias], ["StrictHostKeyChecking", "accept-new"], ...options];
  return [
    ...all.flatMap(([name, value]) => ["-o", `${name}=${value}`]),
    ...flags,
    "-p",
    String(port),
    "--",
    `${user}@${host}`,
  ];
}

/** As ssh reads a path in its settings, where % and spaces mean something. */
function quoted(path: string): string {
  const escaped = path.replaceAll("%", "%%");
  return /\s/.test(escaped) ? `"${escaped}"` : escaped;
}
