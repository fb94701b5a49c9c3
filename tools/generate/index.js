/** `npm run generate`: writes what follows from schemas and doc comments. `--check` only says what is out of date. */
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { build } = require("../bootstrap/build");
const { ToolError, main } = require("../bootstrap/command");
const { root } = require("../bootstrap/paths");
const { writeArgs } = require("./args");
const { writeFleetPage } = require("./fleetPage");
const { writeFunctionsPage } = require("./functionsPage");
const { writeOperationsPage } = require("./operationsPage");
const { dashed, writeResourcePage } = require("./resourcePage");
const { SdkDocs } = require("./sdkDocs");

/** Every generated file and its text. @returns {Map<string, string>} */
function generate() {
  /** @type {typeof import("../../provider")} */
  const { handlers } = require(path.join(root, "dist", "provider"));
  /** @type {typeof import("../../provider/service")} */
  const service = require(path.join(root, "dist", "provider", "service"));
  const sdk = new SdkDocs();
  const documented = [...handlers.values()].filter((handler) => handler.documented);
  return new Map([
    ["sdk/args.ts", format("sdk/args.ts", writeArgs(handlers))],
    ...documented.map((handler) => page(dashed(handler.type), writeResourcePage(handler, sdk))),
    page("gpu-fleet", writeFleetPage(sdk)),
    page("functions", writeFunctionsPage(sdk)),
    page("operations", writeOperationsPage(service)),
  ]);
}

/** @param {string} name @param {string} text @returns {[string, string]} */
function page(name, text) {
  return [`docs/${name}.md`, text];
}

/** @param {string} file @param {string} text */
function format(file, text) {
  const biome = path.join(root, "node_modules", ".bin", "biome");
  return execFileSync(biome, ["format", `--stdin-file-path=${file}`], { cwd: root, input: text, encoding: "utf8" });
}

/** @param {string} file @param {string} text */
function isCurrent(file, text) {
  const target = path.join(root, file);
  return fs.existsSync(target) && fs.readFileSync(target, "utf8") === text;
}

main(async () => {
  const onlyCheck = process.argv.includes("--check");
  // A check runs beside other tests, which use the build as it is.
  if (!onlyCheck) await build();
  const outdated = [...generate()].filter(([file, text]) => !isCurrent(file, text));
  if (onlyCheck) {
    if (outdated.length === 0) return;
    throw new ToolError(`Out of date: ${outdated.map(([file]) => file).join(", ")}. Run \`npm run generate\`.`);
  }
  for (const [file, text] of outdated) {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), text);
    process.stdout.write(`wrote ${file}\n`);
  }
});
