import { cleanText } from "../../provider/shared/cleanText";

/** The name under which a written program imports this package. */
export const packageVariable = "gpufleet";
export const importLine = `import * as ${packageVariable} from "pulumi-gpufleet";`;

/** An expression that stands in the program as it is. */
export class Expression {
  constructor(readonly code: string) {}
}

/** What an input of a written resource may be. */
export type Written = string | number | boolean | Expression | readonly Written[] | { readonly [key: string]: Written };

export interface WrittenResource {
  /** Missing where nothing refers to it: some compilers refuse a variable that is never read. */
  variable?: string | undefined;
  /** `BareMetalRental` */
  type: string;
  name: string;
  inputs: Readonly<Record<string, Written>>;
}

/** `const train = new gpufleet.BareMetalRental("train", {…});` */
export function writeResource({ variable, type, name, inputs }: WrittenResource): string {
  const declared = variable === undefined ? "" : `const ${variable} = `;
  return `${declared}new ${packageVariable}.${type}(${writeValue(name)}, ${writeValue(inputs)});`;
}

/** Lines of comment. What comes from elsewhere can neither end a comment nor hide in it. */
export function writeComment(...lines: readonly string[]): string[] {
  return lines.map((line) => `// ${cleanText(line, { max: longestLine })}`.trimEnd());
}

const longestLine = 400;

/** A value as TypeScript, a member per line. */
export function writeValue(value: Written, indent = ""): string {
  if (value instanceof Expression) return value.code;
  if (typeof value === "string") return writeText(value);
  if (typeof value !== "object") return String(value);
  if (isList(value)) return `[${value.map((member) => writeValue(member, indent)).join(", ")}]`;
  const members = Object.entries(value);
  if (members.length === 0) return "{}";
  const deeper = `${indent}  `;
  const lines = members.map(([key, member]) => `${deeper}${writeKey(key)}: ${writeValue(member, deeper)},\n`);
  return `{\n${lines.join("")}${indent}}`;
}

function isList(value: object): value is readonly Written[] {
  return Array.isArray(value);
}

function writeKey(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : writeText(key);
}

/** Characters that cannot be seen are written by their numbers. */
function writeText(text: string): string {
  return JSON.stringify(text).replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
