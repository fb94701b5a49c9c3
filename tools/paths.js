/** Where things are in the checkout. */
const path = require("node:path");

const root = path.resolve(__dirname, "..");
/** Everything that running leaves behind: the local fleet, its state, the tests' workspaces. Ignored by git. The benchmark has its own. */
const local = process.env.GPUFLEET_LOCAL_FOLDER ?? path.join(root, ".gpufleet");

module.exports = { local, root };
