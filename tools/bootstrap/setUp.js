/** Everything that must be there before anything runs. A step that is already done costs next to nothing. */
const { build } = require("./build");
const { installDependencies } = require("./dependencies");
const { getEngine } = require("./engine/engine");

/** @returns {Promise<{engine: string}>} the folder of the engine */
async function setUp() {
  await installDependencies();
  const engine = await getEngine();
  await build();
  return { engine };
}

module.exports = { setUp };
