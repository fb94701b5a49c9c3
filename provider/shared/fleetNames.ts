import { resourceMark } from "./label";
import { readUrn } from "./urn";

/** The names of a fleet's parts. Whoever knows the URN of one knows those of all others. */
export const fleetNames = {
  member: (fleet: string, index: number) => `${fleet}-${index}`,
  ready: (fleet: string) => `${fleet}-ready`,
  ended: (fleet: string) => `${fleet}-ended`,
  volume: (fleet: string) => `${fleet}-volume`,
  attachment: (fleet: string) => `${fleet}-volume-on-members`,
};

/** The gate that waits until all members are ready, and the one that waits until all have ended. */
export const gateTypes = { ready: "FleetReady", ended: "FleetEnded" } as const;

/** The URNs of the gates of the fleet that this would be a member of; undefined where its name is none of a member. */
export function gatesOf(memberUrn: string): { ready: string; ended: string } | undefined {
  const { fleet } = readMember(readUrn(memberUrn).name) ?? {};
  if (fleet === undefined) return undefined;
  return {
    ready: sibling(memberUrn, gateTypes.ready, fleetNames.ready(fleet)),
    ended: sibling(memberUrn, gateTypes.ended, fleetNames.ended(fleet)),
  };
}

/** The URN of a member, from that of another part of the same fleet. */
export function memberUrn(partUrn: string, type: string, name: string): string {
  return sibling(partUrn, type, name);
}

/** No fleet has more members than this. */
const mostMembers = 10_000;

/** The names of all members that a fleet can have, by the marks in their labels; `partUrn` is the URN of any part of it. */
export function marksOfMembers(partUrn: string, type: string, fleet: string): Map<string, string> {
  const names = Array.from({ length: mostMembers }, (_, index) => fleetNames.member(fleet, index));
  return new Map(names.map((name) => [resourceMark(memberUrn(partUrn, type, name)), name]));
}

/** The fleet that a member belongs to, and its place in it; undefined where its name is none of a member. */
export function readMember(name: string): { fleet: string; index: number } | undefined {
  const [, fleet, index] = /^(.+)-(\d+)$/.exec(name) ?? [];
  return fleet === undefined ? undefined : { fleet, index: Number(index) };
}

/** The fleet that a gate belongs to. */
export function fleetOfGate(gateUrn: string): string {
  return readUrn(gateUrn).name.replace(/-(ready|ended)$/, "");
}

/** The URN of the fleet itself, the parent of its gate. */
export function fleetUrn(gateUrn: string): string {
  const { stack, project, qualifiedType } = readUrn(gateUrn);
  const parents = qualifiedType.slice(0, Math.max(0, qualifiedType.lastIndexOf("$")));
  return `urn:pulumi:${stack}::${project}::${parents}::${fleetOfGate(gateUrn)}`;
}

/** The URN of something with the same parents. */
function sibling(urn: string, type: string, name: string): string {
  const { stack, project, qualifiedType } = readUrn(urn);
  const parents = qualifiedType.slice(0, qualifiedType.lastIndexOf(":") + 1);
  return `urn:pulumi:${stack}::${project}::${parents}${type}::${name}`;
}
