/** What comes out of a class or a function, with the interfaces that it is made of. */
import { code, table } from "./markdown";
import { lowerFirst } from "./schemaWords";
import type { Documented, Member, SdkDocs } from "./sdkDocs";

export function writeOutputs(sdk: SdkDocs, className: string): string {
  const { members } = sdk.get(className);
  const rows = members.map((member) => [code(member.name), code(member.type), outputDescription(member)]);
  const parts = sdk.partsOf(members.map(({ type }) => type).join(" "));
  return table(["output", "type", ""], rows) + parts.map(writePart).join("");
}

function outputDescription({ description, optional }: Member): string {
  return optional && !description.includes("missing") ? `${description} May be missing.` : description;
}

export function writePart({ name, description, members }: Documented): string {
  return `\n**${name}**: ${description}${description ? " " : ""}${members.map(writeMember).join(", ")}.\n`;
}

function writeMember({ name, type, optional, description }: Member): string {
  const remark = description ? ` (${lowerFirst(description.replace(/\.$/, ""))})` : "";
  return `\`${name}${optional ? "?" : ""}: ${type}\`${remark}`;
}

/** What a program gives. */
export function writeArguments(members: readonly Member[]): string {
  return table(
    ["argument", "type", "", ""],
    members.map(({ name, type, optional, description }) => [
      code(name),
      code(type),
      optional ? "" : "required",
      description,
    ]),
  );
}
