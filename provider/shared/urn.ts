/** Reads the hidden input `<organization>/<urn>`. */
export function readOrigin(origin: unknown): { organization: string; urn: string } {
  const text = typeof origin === "string" ? origin : "";
  const start = text.indexOf("urn:pulumi:");
  return start < 0
    ? { organization: "", urn: "" }
    : { organization: text.slice(0, Math.max(0, start - 1)), urn: text.slice(start) };
}

/** The last part of a URN: the name that the program gave to the resource. */
export function nameOf(urn: string): string {
  return urn.slice(urn.lastIndexOf("::") + 2);
}

/** With the version of its plugin, and the address from where that is downloaded, if a program gives them. */
const defaultName = /^default(_\d+_\d+_\d+(_.*)?|_(https?|github|gitlab)_.*)?$/;

/** Whether this is a name that the engine gives to the providers which it makes itself. */
export function isDefaultName(name: string): boolean {
  return defaultName.test(name);
}

/** The URN in a reference to a provider, `<urn>::<id>`. */
export function providerIn(reference: string): string {
  return reference.slice(0, Math.max(0, reference.lastIndexOf("::")));
}

export interface UrnParts {
  stack: string;
  project: string;
  /** `a:b:Parent$c:d:Child` */
  qualifiedType: string;
  /** `c:d:Child` */
  type: string;
  name: string;
}

/** The parts of a URN; each is empty where the text is none. */
export function readUrn(urn: string): UrnParts {
  const [stack = "", project = "", qualifiedType = ""] = urn.replace(/^urn:pulumi:/, "").split("::");
  const type = qualifiedType.slice(qualifiedType.lastIndexOf("$") + 1);
  return { stack, project, qualifiedType, type, name: nameOf(urn) };
}

/** The URN that a resource would have in the stack of another one. */
export function inStackOf(urn: string, other: string): string {
  const { stack, project } = readUrn(other);
  return urn.replace(/^urn:pulumi:.*?::.*?::/, () => `urn:pulumi:${stack}::${project}::`);
}
