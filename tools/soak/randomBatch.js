/** A process that plays one batch of random schedules and sends what came of it to its parent. */
const { root } = require("../paths");

require("ts-node").register({ transpileOnly: true, cwd: root });
require("./playBatch")
  .playBatch(JSON.parse(process.argv[2] ?? "{}"))
  .then(
    (/** @type {unknown} */ tally) => process.send?.(tally, () => process.exit(0)),
    (/** @type {unknown} */ error) => {
      console.error(error);
      process.exit(1);
    },
  );
