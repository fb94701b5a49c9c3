/** The launcher of dynamic providers is a script inside the npm package `@pulumi/pulumi`. */
const fs = require("node:fs");
const path = require("node:path");
const { ToolError } = require("../command");
const { root } = require("../paths");
const { LAUNCHER } = require("./pins");

/** @returns {string | undefined} undefined until the dependencies are installed */
function findLauncher() {
  const file = path.join(root, "node_modules", "@pulumi", "pulumi", LAUNCHER);
  return fs.existsSync(file) ? file : undefined;
}

/** @param {string} folder */
function copyLauncher(folder) {
  const file = findLauncher();
  if (!file) throw new ToolError(`${LAUNCHER} is not in node_modules/@pulumi/pulumi. Run npm ci and try again.`);
  fs.copyFileSync(file, path.join(folder, LAUNCHER));
  fs.chmodSync(path.join(folder, LAUNCHER), 0o755);
}

module.exports = { copyLauncher, findLauncher };
