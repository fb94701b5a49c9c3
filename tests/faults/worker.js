/** A process that plays jobs of the harness for `Workers`: without jest around them they take a third of the time. */
require("ts-node").register({
  transpileOnly: true,
  swc: true,
  skipProject: true,
  compilerOptions: { target: "es2022", module: "commonjs", esModuleInterop: true },
});
const { playJob } = require("./job");

/** @param {import("./job").Job} job */
async function play(job) {
  try {
    process.send?.({ tally: await playJob(job) });
  } catch (error) {
    process.send?.({ error: error instanceof Error ? error.stack : String(error) });
  }
}

process.on("message", play);
process.on("disconnect", () => process.exit());
