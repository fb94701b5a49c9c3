import type { SshEndpoint } from "./machine";

/** A member of a fleet, as it was when the fleet was last brought up or refreshed. */
export interface FleetMember {
  /** `<fleet>-<index>` */
  name: string;
  rentalId: number;
  /** As the service says it. */
  status: string;
  /** The region in use: the one of the plan, or the fallback that had capacity. */
  region?: string;
  label?: string;
  /** USD per hour; missing where the service does not show a price. */
  costPerHour?: number;
  ssh?: SshEndpoint[];
  /** Ready to paste. */
  sshCommand?: string;
}

/** What the gate keeps of a member. */
export interface MemberFacts extends Omit<FleetMember, "rentalId"> {
  id: string;
}

export function fleetMember({ name, id, ...facts }: MemberFacts): FleetMember {
  return { name, rentalId: Number(id), ...facts };
}

interface Host {
  name: string;
  host: string;
  port: number;
  user: string;
  region: string | undefined;
}

/** For `~/.ssh/config`, or to be included from it: one host per machine, under the member's name. */
export function writeSshConfig(fleet: string, members: readonly FleetMember[]): string {
  const blocks = hostsOf(members).map(
    ({ name, host, port, user }) => `Host ${name}\n  HostName ${host}\n  Port ${port}\n  User ${user}\n`,
  );
  return [`# GpuFleet ${fleet}\n`, ...blocks, ...unreachable(members)].join("\n");
}

/** An inventory in Ansible's INI form: the fleet is one group, with a group per region beneath. */
export function writeInventory(fleet: string, members: readonly FleetMember[]): string {
  const group = groupName(fleet);
  const hosts = hostsOf(members);
  const lines = hosts.map(
    ({ name, host, port, user, region }) =>
      `${name} ansible_host=${host} ansible_port=${port} ansible_user=${user}${region ? ` region=${region}` : ""}`,
  );
  const regions = [...new Set(hosts.flatMap(({ region }) => region ?? []))].sort();
  const parts = regions.map((region) => {
    const names = hosts.filter((host) => host.region === region).map(({ name }) => name);
    return [`[${groupName(`${group}_${region}`)}]`, ...names].join("\n");
  });
  return `${[[`[${group}]`, ...lines, ...unreachable(members)].join("\n"), ...parts].join("\n\n")}\n`;
}

/** A member of several nodes has an endpoint for each: the first goes by the member's name. */
function hostsOf(members: readonly FleetMember[]): Host[] {
  return members.flatMap(({ name, ssh = [], region }) =>
    ssh.filter(isPlain).map(({ host, port, user }, node) => ({
      name: node === 0 ? name : `${name}-node-${node}`,
      host,
      port,
      user,
      region: region !== undefined && plainWord.test(region) ? region : undefined,
    })),
  );
}

const plainWord = /^[\w.:-]+$/;

/** Only parts that cannot carry another directive into a configuration file. */
function isPlain({ host, port, user }: SshEndpoint): boolean {
  return plainWord.test(host) && /^[\w.-]+$/.test(user) && Number.isInteger(port) && port >= 1 && port <= 65535;
}

function unreachable(members: readonly FleetMember[]): string[] {
  const without = members.filter(({ ssh = [] }) => !ssh.some(isPlain));
  return without.map(({ name }) => `# ${name} has no ssh address`);
}

/** Ansible takes letters, digits and underscores, with no digit in front. */
function groupName(name: string): string {
  return name.replace(/\W+/g, "_").replace(/^(?=\d)/, "_");
}
