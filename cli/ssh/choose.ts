import { nearest } from "../../provider/shared/spelling";
import type { SshHost } from "../../provider/shared/sshHosts";
import { commandLine } from "../place";
import type { Machine } from "./machines";

const mostNamed = 20;

/**
 * The host that is meant by a machine's name, label or id, or by the name of one of its hosts.
 * @param wanted may end in the number of a node: `train/2`
 * @param node the same, given apart; from 1 up
 */
export function chooseHost(machines: readonly Machine[], stack: string, wanted: string, node?: number): SshHost {
  const [, name = wanted, number] = /^(.+)\/(\d+)$/.exec(wanted) ?? [];
  const exact = matching(machines, wanted);
  const found = exact.length > 0 ? exact : matching(machines, name);
  const [machine, ...others] = found;
  const host = machines.flatMap(({ hosts }) => hosts).find((one) => one.name === wanted);
  if (!machine && host) return host;
  if (!machine) throw new Error(whyNone(machines, stack, name));
  if (others.length > 0) {
    const all = found.map(({ type, id }) => `${type} ${id}`).join(", ");
    throw new Error(`"${name}" is the name of ${found.length} machines: ${all}. Use the id.`);
  }
  return nodeOf(machine, node ?? (exact.length > 0 || number === undefined ? undefined : Number(number)));
}

/** By name, else by id, else by label. */
function matching(machines: readonly Machine[], wanted: string): readonly Machine[] {
  const ways = [
    ({ name }: Machine) => name === wanted,
    ({ id }: Machine) => id === wanted,
    ({ label }: Machine) => label === wanted,
  ];
  return ways.map((way) => machines.filter(way)).find((found) => found.length > 0) ?? [];
}

function nodeOf({ type, name, hosts }: Machine, node = 1): SshHost {
  const host = hosts[node - 1];
  if (host) return host;
  if (hosts.length === 0) {
    throw new Error(
      `the state has no ssh address of ${type} "${name}". \`${commandLine("pulumi refresh")}\` updates it.`,
    );
  }
  const has = hosts.length === 1 ? "1 node" : `${hosts.length} nodes, from 1 to ${hosts.length}`;
  throw new Error(`${type} "${name}" has no node ${node}: it has ${has}.`);
}

function whyNone(machines: readonly Machine[], stack: string, wanted: string): string {
  if (machines.length === 0) return `stack ${stack} has no machines. \`${commandLine("pulumi up")}\` rents them.`;
  const names = machines.map(({ name }) => name);
  const candidates = [...names, ...machines.flatMap(({ id, label }) => (label === undefined ? [id] : [id, label]))];
  const guess = nearest(wanted, candidates);
  const listed =
    names.length > mostNamed ? [...names.slice(0, mostNamed), `and ${names.length - mostNamed} more`] : names;
  return `stack ${stack} has no machine "${wanted}". ${guess ? `Did you mean ${guess}?` : `It has: ${listed.join(", ")}.`}`;
}
