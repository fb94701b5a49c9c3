import { join } from "node:path";

// One run of the engine takes seconds, and a test makes several. jest reads `testTimeout` from the top of its
// configuration only, not from a project.
jest.setTimeout(400_000);

// For every process that a test starts.
process.env["NODE_OPTIONS"] = `--require ${JSON.stringify(join(__dirname, "quickStart.js"))}`;
