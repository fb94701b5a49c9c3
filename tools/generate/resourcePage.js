/** Writes the page of a resource: what a program may write, what changing it does, what comes out. */
const fs = require("node:fs");
const path = require("node:path");
const { root } = require("../bootstrap/paths");
const { block, code, header, table } = require("./markdown");
const { writeOutputs } = require("./outputs");
const { describeFields } = require("./schemaWords");

/**
 * @typedef {import("./schemaWords").Field} Field
 * @typedef {import("../../provider/lifecycle").Handler} Handler
 */

/**
 * Inputs of which more can be said than that they replace.
 * @type {Readonly<Record<string, string>>}
 */
const REPLACING = {
  adoptId: "replaces, if another one is named; added or removed it is no change",
  label: "replaces; left out later it is no change",
  select: "replaces, if the machine in use no longer fits",
  clusterName: "replaces; left out later it is no change",
  nodeName: "replaces; left out later it is no change",
};
const REPLACING_REGION = "replaces, unless the one in use is among `fallbackRegions`";

/** `BareMetalRental` → `bare-metal-rental` @param {string} type */
function dashed(type) {
  return type.replaceAll(/(?<!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}

/**
 * @param {Handler} handler
 * @param {import("./sdkDocs").SdkDocs} sdk
 */
function writeResourcePage({ type, inputs, documented }, sdk) {
  if (!documented) throw new Error(`${type} is not for programs to make`);
  const { fields, lists } = describeFields(inputs);
  const example = `examples/${dashed(type)}`;
  const rows = fields.map((field) => inputRow(field, documented.inPlace, "fallbackRegions" in inputs.shape));
  return `${header("the schema and the doc comments of the resource")}# ${type}

${sdk.get(type).description}

${block("ts", fs.readFileSync(path.join(root, example, "index.ts"), "utf8"))}
This is [${example}](../${example}/README.md); the tests run it.

## Inputs

${table(["input", "type", "default", "changing it", ""], rows)}${lists}
Creation may take ${documented.timeouts.create} and deletion ${documented.timeouts.delete}, unless \`timeouts\` says otherwise.

## Outputs

The inputs with their defaults filled in, and:

${writeOutputs(sdk, type)}`;
}

/**
 * @param {Field} field
 * @param {readonly string[]} inPlace
 * @param {boolean} hasFallbacks
 */
function inputRow({ name, type, presence, description }, inPlace, hasFallbacks) {
  const replacing = name === "region" && hasFallbacks ? REPLACING_REGION : (REPLACING[name] ?? "replaces");
  // What is inside an object changes with it.
  const effect = /[.[]/.test(name) ? "" : inPlace.includes(name) ? "in place" : replacing;
  return [code(name), type, presence, effect, description];
}

module.exports = { dashed, writeResourcePage };
