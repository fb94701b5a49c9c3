/** Where things are in the checkout. */
const path = require("node:path");

const root = path.resolve(__dirname, "..", "..");
/**
 * Everything that running leaves behind: the local fleet, its state, the tests' workspaces. Ignored by git. The benchmark
 * has its own, by the variable.
 */
const local = process.env.GPUFLEET_LOCAL_FOLDER ?? path.join(root, ".gpufleet");
/** How long the last whole `npm test` took: `{seconds, at}`. */
const testDurationFile = path.join(local, "npm-test.json");
/** What lets a process load TypeScript: `node --require` it. */
const typescript = path.join(__dirname, "typescript.js");

module.exports = { local, root, testDurationFile, typescript };
