/** What comes out of a class or a function, with the interfaces that it is made of. */
const { code, table } = require("./markdown");
const { lowerFirst } = require("./schemaWords");

/**
 * @typedef {import("./sdkDocs").SdkDocs} SdkDocs
 * @typedef {import("./sdkDocs").Documented} Documented
 * @typedef {import("./sdkDocs").Member} Member
 */

/**
 * @param {SdkDocs} sdk
 * @param {string} name of a class
 */
function writeOutputs(sdk, name) {
  const { members } = sdk.get(name);
  const rows = members.map((member) => [code(member.name), code(member.type), outputDescription(member)]);
  const parts = sdk.partsOf(members.map(({ type }) => type).join(" "));
  return table(["output", "type", ""], rows) + parts.map(writePart).join("");
}

/** @param {Member} member */
function outputDescription({ description, optional }) {
  return optional && !description.includes("missing") ? `${description} May be missing.` : description;
}

/** @param {Documented} part */
function writePart({ name, description, members }) {
  return `\n**${name}**: ${description}${description ? " " : ""}${members.map(writeMember).join(", ")}.\n`;
}

/** @param {Member} member */
function writeMember({ name, type, optional, description }) {
  const remark = description ? ` (${lowerFirst(description.replace(/\.$/, ""))})` : "";
  return `\`${name}${optional ? "?" : ""}: ${type}\`${remark}`;
}

/** @param {readonly Member[]} members what a program gives */
function writeArguments(members) {
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

module.exports = { writeArguments, writeOutputs, writePart };
