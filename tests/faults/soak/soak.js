/**
 * `npm run soak`: every single fault, thousands of random schedules on the handlers, hundreds on the real engine,
 * hundreds of rentals on it while requests fail, and a report. `--random N`, `--engine N`, `--load N` and `--seed N` say how many
 * and which; `--no-single` leaves the single faults out; `--replay 'JSON'` plays one schedule again (with `--quick` as single
 * faults are played), `--replay-on-engine 'JSON'` one of the real engine.
 */
const { main } = require("../../../tools/bootstrap/command");
const { root } = require("../../../tools/bootstrap/paths");
const { setUp } = require("../../../tools/bootstrap/setUp");

main(async () => {
  const { engine } = await setUp();
  process.env.GPUFLEET_ENGINE = engine;
  require("ts-node").register({ transpileOnly: true, cwd: root });
  return require("./run").runSoak(process.argv.slice(2));
});
