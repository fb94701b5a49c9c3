/**
 * `node tools/bootstrap/run.js FILE.ts [ARGUMENT…]`: runs a tool that is written in TypeScript. Installs the dependencies first
 * if need be, then calls the `main` that the file exports, with the arguments; it returns the exit code, or nothing for 0.
 */
const path = require("node:path");
const { ToolError, main } = require("./command");
const { installDependencies } = require("./dependencies");

main(async () => {
  const [file, ...args] = process.argv.slice(2);
  if (!file) throw new ToolError("Usage: node tools/bootstrap/run.js FILE.ts [ARGUMENT…]");
  await installDependencies();
  require("./typescript");
  return require(path.resolve(file)).main(args);
});
