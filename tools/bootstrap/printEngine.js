/** `npm run -s engine`: prints the folder of the engine, getting it first if need be, and nothing else. */
const { main } = require("./command");
const { getEngine } = require("./engine/engine");

main(async () => {
  process.stdout.write(`${await getEngine()}\n`);
});
