/** Writes the page of a resource: what a program may write, what changing it does, what comes out. */
const fs = require("node:fs");
const path = require("node:path");
const { z } = require("zod");
const { root } = require("../paths");
const { block, code, header, table } = require("./markdown");
const { anchorOf, fieldsOf } = require("./schemaWords");

/**
 * @typedef {import("./schemaWords").Field} Field
 * @typedef {import("./sdkDocs").SdkDocs} SdkDocs
 * @typedef {import("../../provider/lifecycle").Handler} Handler
 */

/** What holds for some inputs besides replacing or not. @type {Readonly<Record<string, string>>} */
const EXCEPTIONS = {
  adoptId: "replaces, if another one is named; added or removed it is no change",
  region: "replaces, unless the one in use is among `fallbackRegions`",
  label: "replaces; left out it is no change",
  select: "replaces, if the machine in use no longer fits",
  clusterName: "replaces; left out it is no change",
  nodeName: "replaces; left out it is no change",
};

/** `BareMetalRental` → `bare-metal-rental` @param {string} type */
function dashed(type) {
  return type.replaceAll(/(?<!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}

/**
 * @param {Handler} handler
 * @param {SdkDocs} sdk
 */
function writeResourcePage(handler, sdk) {
  const { type, inputs, documented } = handler;
  if (!documented) throw new Error(`${type} is not for programs to make`);
  const fields = fieldsOf(z.toJSONSchema(inputs, { io: "input", unrepresentable: "any" }));
  const example = `examples/${dashed(type)}`;
  const { description } = sdk.get(type);
  return (
    header("the schema and the doc comments of the resource") +
    `# ${type}\n\n${description}\n\n` +
    block("ts", fs.readFileSync(path.join(root, example, "index.ts"), "utf8")) +
    `\nThis is [${example}](../${example}/README.md); the tests run it.\n\n` +
    `## Inputs\n\n` +
    table(["input", "type", "default", "changing it", ""], fields.map((field) => inputRow(field, documented.inPlace, fields))) +
    `\nCreation may take ${documented.timeouts.create} and deletion ${documented.timeouts.delete}, unless \`timeouts\` says otherwise.\n\n` +
    fields.filter(({ values }) => values.length > 0).map(valueList).join("") +
    `## Outputs\n\nAll inputs, with their defaults filled in, and:\n\n` +
    writeOutputs(sdk, type)
  );
}

/**
 * @param {Field} field
 * @param {readonly string[]} inPlace
 * @param {readonly Field[]} all
 */
function inputRow({ name, type, presence, description }, inPlace, all) {
  const inside = /[.[]/.test(name);
  const has = (/** @type {string} */ other) => all.some((field) => field.name === other);
  const exception = name === "region" && !has("fallbackRegions") ? undefined : EXCEPTIONS[name];
  const effect = inPlace.includes(name) ? "in place" : (exception ?? "replaces");
  return [code(name), type, presence, inside ? "" : effect, description];
}

/** @param {Field} field */
function valueList({ name, values }) {
  return `<a id="${anchorOf(name)}"></a>Values of \`${name}\`: ${values.map(code).join(", ")}.\n\n`;
}

/**
 * @param {SdkDocs} sdk
 * @param {string} name
 */
function writeOutputs(sdk, name) {
  const { members } = sdk.get(name);
  const rows = members.map((member) => [
    code(member.name),
    code(member.type),
    member.optional ? `${member.description} May be missing.` : member.description,
  ]);
  const parts = sdk.partsOf(members.map(({ type }) => type).join(" "));
  return table(["output", "type", ""], rows) + parts.map(describePart).join("");
}

/** @param {import("./sdkDocs").Documented} part */
function describePart({ name, description, members }) {
  const fields = members.map((member) => `\`${member.name}${member.optional ? "?" : ""}: ${member.type}\``);
  return `\n**${name}**: ${description.replace(/\.$/, "")}. ${fields.join(", ")}.\n`;
}

module.exports = { dashed, describePart, writeOutputs, writeResourcePage };
