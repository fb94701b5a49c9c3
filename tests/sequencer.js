const { readFileSync } = require("node:fs");
const { default: Sequencer } = require("@jest/test-sequencer");

/** Slow files first, so that no core waits for the last of them: on a fresh clone jest knows of no durations, and goes by size. */
module.exports = class SlowFirst extends Sequencer {
  /**
   * @override
   * @param {import("@jest/test-result").Test[]} tests
   */
  async sort(tests) {
    const sorted = await super.sort(tests);
    return [...sorted.filter(isSlow), ...sorted.filter((test) => !isSlow(test))];
  }
};

/**
 * Whether it runs the engine, or asks for more time than others.
 * @param {import("@jest/test-result").Test} test
 */
function isSlow({ path, context }) {
  return context.config.displayName?.name === "engine" || readFileSync(path, "utf8").includes("jest.setTimeout(");
}
