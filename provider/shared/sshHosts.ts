/** Where a machine answers to ssh. */
export interface SshAddress {
  host: string;
  port: number;
  user: string;
}

/** A machine as ssh is to know it. */
export interface SshMachine {
  /** As the program calls it. */
  name: string;
  /** `VmRental` */
  type: string;
  id: string;
  ssh?: readonly SshAddress[] | undefined;
}

/** One node of a machine, as a host of its own. */
export interface SshHost extends SshAddress {
  name: string;
  /** Under which its host key is kept. */
  alias: string;
}

const plainWord = /^[\w.:-]+$/;

/** Whether no part can smuggle anything else into a shell or a configuration file. */
export function isPlainAddress({ host, port, user }: SshAddress): boolean {
  return plainWord.test(host) && /^[\w.-]+$/.test(user) && isPort(port);
}

export function isPlainWord(text: string): boolean {
  return plainWord.test(text);
}

export function isPort(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= 65535;
}

/** The hosts of a machine, one per node; the first has its name. */
export function hostsOf({ name, type, id, ssh = [] }: SshMachine): SshHost[] {
  const plain = plainName(name);
  return ssh.filter(isPlainAddress).map(({ host, port, user }, node) => ({
    name: node === 0 ? plain : `${plain}-node-${node}`,
    alias: hostKeyAlias({ type, id }, { host, port }),
    host,
    port,
    user,
  }));
}

/** Names of resources may have characters that mean something in a configuration file. */
function plainName(name: string): string {
  return name.replaceAll(/[^\w.-]+/g, "-");
}

/**
 * The name under which a host key is kept. A machine that takes the place of another has another id, so its key is a new one and no
 * alarm, even at the same address; and the key of a machine that is still the same must not change.
 */
export function hostKeyAlias(machine: { type: string; id: string }, { host, port }: Omit<SshAddress, "user">): string {
  return `${aliasPrefix(machine)}${host.replaceAll(":", "_")}-${port}`;
}

/** What the names of all keys of a machine begin with. */
export function aliasPrefix({ type, id }: { type: string; id: string }): string {
  return `gpufleet-${type}-${id.replaceAll(/[^\w.]+/g, "-")}-`.toLowerCase();
}

/** A block for `~/.ssh/config`. A key that is not known yet is taken; one that has changed is refused. */
export function writeHost({ name, host, port, user, alias }: SshHost, more: readonly string[] = []): string {
  const lines = [
    `HostName ${host}`,
    `Port ${port}`,
    `User ${user}`,
    `HostKeyAlias ${alias}`,
    "StrictHostKeyChecking accept-new",
    ...more,
  ];
  return [`Host ${name}`, ...lines.map((line) => `  ${line}`), ""].join("\n");
}

/** For `~/.ssh/config`: one host per node of a machine. */
export function sshConfigFor(machine: SshMachine): string {
  const blocks = hostsOf(machine).map((host) => writeHost(host));
  return blocks.length > 0 ? blocks.join("\n") : `# ${machine.name} has no ssh address\n`;
}

/** The first node of a machine; undefined where it has no address. */
export function connectionTo(machine: SshMachine): SshAddress | undefined {
  const [first] = hostsOf(machine);
  return first && { host: first.host, port: first.port, user: first.user };
}
