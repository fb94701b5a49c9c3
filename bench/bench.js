/**
 * `npm run bench`: us and two peers on the same emulator and the real engine, in one run. Prints a table of ratios, writes it
 * into docs/performance.md, and exits with 1 when a goal is missed. `--quick` takes fewer and smaller samples, to try the
 * benchmark itself; `--only PART` runs one part, `--rounds N` takes N samples of each timing.
 */
const { main } = require("../tools/bootstrap/command");
const { root } = require("../tools/bootstrap/paths");
const { setUp } = require("../tools/bootstrap/setUp");

main(async () => {
  const { engine } = await setUp();
  require("ts-node").register({ transpileOnly: true, cwd: root });
  return require("./run").runBenchmark(engine, process.argv.slice(2));
});
