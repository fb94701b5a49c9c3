/** The table, for the terminal and for docs/performance.md. */
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { root } = require("../tools/paths");

const page = path.join(root, "docs", "performance.md");
const [begin, end] = ["<!-- table: written by npm run bench -->", "<!-- end of table -->"];

/** @param {readonly import("./engineParts").Row[]} rows @param {{engine: string, save: boolean}} options */
async function writeReport(rows, { engine, save }) {
  const table = [
    "| what | goal | ours | beside | ratio | |",
    "|---|---|---|---|---|---|",
    ...rows.map(
      (row) =>
        `| ${[row.what, row.goal, row.ours, row.beside, row.ratio, row.met ? "met" : "**missed**"].join(" | ")} |`,
    ),
  ].join("\n");
  const text = `${conditions(engine)}\n\n${table}`;
  if (save) {
    const whole = fs.readFileSync(page, "utf8");
    const [before] = whole.split(begin);
    const [, after] = whole.split(end);
    fs.writeFileSync(page, `${before}${begin}\n\n${text}\n\n${end}${after}`);
  }
  return text;
}

/** @param {string} engine */
function conditions(engine) {
  const read = (/** @type {string} */ command, /** @type {string[]} */ ...args) =>
    execFileSync(command, args, { cwd: root, encoding: "utf8" }).trim();
  const { version } = require("@pulumi/pulumi/package.json");
  return [
    `${new Date().toISOString().slice(0, 10)}, commit ${read("git", "rev-parse", "--short", "HEAD")}`,
    `${os.cpus().length} cores (${os.cpus()[0]?.model.trim()}), ${Math.round(os.totalmem() / 2 ** 30)} GB`,
    `Node ${process.version}, Pulumi ${read(path.join(engine, "pulumi"), "version")}, @pulumi/pulumi ${version}`,
  ]
    .join("; ")
    .concat(".");
}

module.exports = { writeReport };
