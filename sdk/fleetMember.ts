import { hostsOf, isPlainAddress, isPlainWord, type SshHost, writeHost } from "../provider/shared/sshHosts";
import type { SshEndpoint } from "./machine";
import { numberOf } from "./mocks";

/** A member of a fleet, as of the last `up` or refresh. */
export interface FleetMember {
  /** `<fleet>-<index>` */
  name: string;
  rentalId: number;
  /** Status, as the service reports it. */
  status: string;
  /** Region in use: the planned one, or the fallback that had capacity. */
  region?: string;
  label?: string;
  /** USD per hour; missing if the service shows no price. */
  costPerHour?: number;
  ssh?: SshEndpoint[];
  /** Command that opens an ssh session. */
  sshCommand?: string;
}

/** A member as the gate stores it. */
export interface MemberFacts extends Omit<FleetMember, "rentalId"> {
  id: string;
  /** Whether it has been ready and is not over; states of older versions do not have it. */
  wasReady?: boolean;
}

/** The ids of those that a volume is to be attached to. Where nobody knows of any, each is tried. */
export function attachable(members: readonly MemberFacts[]): number[] {
  const ready = members.filter(({ wasReady, status }) => wasReady ?? status === "Running");
  return (ready.length > 0 ? ready : members).map(({ id }) => numberOf(id));
}

export function toFleetMember({ name, id, wasReady: _, ...facts }: MemberFacts): FleetMember {
  return { name, rentalId: numberOf(id), ...facts };
}

interface Host extends SshHost {
  region: string | undefined;
}

/** For `~/.ssh/config`: one host per machine, named after the member. `type` is that of the members. */
export function writeSshConfig(fleet: string, type: string, members: readonly FleetMember[]): string {
  const blocks = hostsIn(members, type).map((host) => writeHost(host));
  return [`# GpuFleet ${fleet}\n`, ...blocks, ...unreachableComments(members)].join("\n");
}

/** An Ansible inventory in INI form: one group for the fleet and one per region. */
export function writeInventory(fleet: string, members: readonly FleetMember[]): string {
  const group = groupName(fleet);
  const hosts = hostsIn(members);
  const lines = hosts.map(
    ({ name, host, port, user, region }) =>
      `${name} ansible_host=${host} ansible_port=${port} ansible_user=${user}${region ? ` region=${region}` : ""}`,
  );
  const regions = [...new Set(hosts.flatMap(({ region }) => region ?? []))].sort();
  const parts = regions.map((region) => {
    const names = hosts.filter((host) => host.region === region).map(({ name }) => name);
    return [`[${groupName(`${group}_${region}`)}]`, ...names].join("\n");
  });
  return `${[[`[${group}]`, ...lines, ...unreachableComments(members)].join("\n"), ...parts].join("\n\n")}\n`;
}

function hostsIn(members: readonly FleetMember[], type = ""): Host[] {
  return members.flatMap(({ name, rentalId, ssh, region }) =>
    hostsOf({ name, type, id: String(rentalId), ssh }).map((host) => ({
      ...host,
      region: region !== undefined && isPlainWord(region) ? region : undefined,
    })),
  );
}

function unreachableComments(members: readonly FleetMember[]): string[] {
  const without = members.filter(({ ssh = [] }) => !ssh.some(isPlainAddress));
  return without.map(({ name }) => `# ${name} has no ssh address`);
}

/** Ansible accepts letters, digits and underscores, and no leading digit. */
function groupName(name: string): string {
  return name.replace(/\W+/g, "_").replace(/^(?=\d)/, "_");
}
