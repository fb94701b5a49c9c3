/**
 * `npm run golden [-- name…]`: makes the previews under tests/golden anew with the real engine, and the comments over them.
 * `npm run golden -- --comments` writes only the comments, from the previews that are there.
 */
const { main } = require("../../tools/bootstrap/command");
const { root } = require("../../tools/bootstrap/paths");
const { setUp } = require("../../tools/bootstrap/setUp");

main(async () => {
  const { engine } = await setUp();
  process.env.GPUFLEET_ENGINE = engine;
  require("ts-node").register({ transpileOnly: true, cwd: root });
  const { makeGolden } = require("./makeGolden");
  const names = process.argv.slice(2);
  await makeGolden({
    names: names.filter((name) => !name.startsWith("-")),
    commentsOnly: names.includes("--comments"),
  });
});
