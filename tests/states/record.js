/**
 * `node tests/states/record.js`: has the real engine bring up the program with the package as it is, and keeps the state under
 * its version. Run once for every release; what a release has recorded is never recorded again.
 */
const { main } = require("../../tools/bootstrap/command");
const { root } = require("../../tools/bootstrap/paths");
const { setUp } = require("../../tools/bootstrap/setUp");

main(async () => {
  const { engine } = await setUp();
  process.env.GPUFLEET_ENGINE = engine;
  require("ts-node").register({ transpileOnly: true, cwd: root });
  await require("./recordState").recordState();
});
