import { createHash } from "node:crypto";
import { getOrMake } from "./getOrMake";
import { dynamicUrn } from "./typeToken";
import { nameOf, readUrn } from "./urn";

/**
 * An automatic label is `<name>-<stack mark>-<resource mark>-<nonce>`. The marks say whose a machine is, also to a process
 * that knows nothing but the list; the nonce makes the label of each create its own.
 */
const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
const stackMarkLength = 6;
const resourceMarkLength = 8;
const nonceLength = 6;
const nameLength = 40;
const automatic = new RegExp(
  `^(.*)-([a-z2-7]{${stackMarkLength}})-([a-z2-7]{${resourceMarkLength}})-([a-z2-7]{${nonceLength}})$`,
);
const inAnyLetters = new RegExp(automatic, "i");

/** Who a resource is: the organization and the URN, as the SDK hands them over, and the namespace of the configuration. */
export interface Identity {
  organization: string;
  urn: string;
  namespace: string;
}

export interface Marks {
  stack: string;
  resource: string;
}

export function marksOf({ organization, urn, namespace }: Identity): Marks {
  const { stack, project } = readUrn(urn);
  return {
    stack: stackMark({ organization, project, stack, namespace }),
    resource: resourceMark(urn),
  };
}

export function resourceMark(urn: string): string {
  return hash([dynamicUrn(urn)], resourceMarkLength);
}

/** Those of the stacks that this process has to do with: each of a stack's resources asks for the same one. */
const stackMarks = new Map<string, string>();

export function stackMark(parts: { organization: string; project: string; stack: string; namespace: string }): string {
  const of = [parts.organization, parts.project, parts.stack, parts.namespace];
  return getOrMake(stackMarks, JSON.stringify(of), () => hash(of, stackMarkLength));
}

export function automaticLabel(identity: Identity, random: () => number): string {
  const marks = marksOf(identity);
  const name =
    nameOf(identity.urn)
      .replace(/[^A-Za-z0-9_-]+/g, "-")
      .slice(0, nameLength) || "resource";
  const nonce = Array.from({ length: nonceLength }, () => alphabet[Math.floor(random() * alphabet.length)]).join("");
  return `${name}-${marks.stack}-${marks.resource}-${nonce}`;
}

/** Letters and digits alone: services write labels in their own way. */
export function plainLabel(label: string): string {
  return label.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

/**
 * Whether a label may be what a service has made of this automatic one: cut, in other letters, or with something around it. What
 * is left of it must reach into the marks, because names are no one's own.
 */
export function mayBeRewritten(label: string, shown: string): boolean {
  const marks = readLabel(label);
  if (!marks) return false;
  const [own, other] = [plainLabel(label), plainLabel(shown)];
  const least = plainLabel(marks.name).length + stackMarkLength;
  return other.includes(own) || (other.length >= least && own.startsWith(other));
}

/** Whether all of an automatic label is in another, in whatever letters: it was chosen for one create, so no other has it. */
export function hasWhole(shown: string | undefined, label: string): boolean {
  return readLabel(label) !== undefined && plainLabel(shown ?? "").includes(plainLabel(label));
}

/** A shorter beginning is also that of another name. */
const leastKept = 12;

/** Whether a label may be what is left of this one, which a person chose, where a service cuts labels. */
export function isCutLabel(label: string, shown: string): boolean {
  const [own, other] = [plainLabel(label), plainLabel(shown)];
  return !readLabel(label) && shown.length >= leastKept && other !== "" && own.startsWith(other);
}

/** The marks in a label, or undefined where a person chose it. A service may show it in other letters than it was asked for. */
export function readLabel(label: string | null | undefined): (Marks & { name: string }) | undefined {
  const [, name, stack, resource] = inAnyLetters.exec(label ?? "") ?? [];
  if (name === undefined || stack === undefined || resource === undefined) return undefined;
  return { name, stack: stack.toLowerCase(), resource: resource.toLowerCase() };
}

/** Whether this is an automatic label, of whatever resource. */
export function isAutomaticLabel(label: unknown): label is string {
  return typeof label === "string" && automatic.test(label);
}

function hash(parts: string[], length: number): string {
  // Each part is preceded by its length, so that ["ab", "c"] and ["a", "bc"] differ.
  const digest = createHash("sha256")
    .update(parts.map((part) => `${part.length}:${part}`).join(""))
    .digest();
  return Array.from(digest.subarray(0, length), (byte) => alphabet[byte % alphabet.length]).join("");
}
