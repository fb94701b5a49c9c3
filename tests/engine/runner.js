const { default: TestRunner } = require("jest-runner");

const MOST_WORKERS = 2;

/** jest's own runner with fewer workers; jest has no such setting per project. */
module.exports = class EngineTestRunner extends TestRunner {
  /**
   * @param {import("@jest/types").Config.GlobalConfig} globalConfig
   * @param {import("jest-runner").TestRunnerContext} context
   */
  constructor(globalConfig, context) {
    super({ ...globalConfig, maxWorkers: Math.min(globalConfig.maxWorkers, MOST_WORKERS) }, context);
  }
};
