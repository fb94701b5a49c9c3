const { default: TestRunner } = require("jest-runner");

/** Each test runs several processes of its own and waits for them for a third of its time: three files keep two cores busy. */
const WORKERS = 3;

/** jest's own runner with its own number of workers; jest has no such setting per project. */
module.exports = class EngineTestRunner extends TestRunner {
  /**
   * @param {import("@jest/types").Config.GlobalConfig} globalConfig
   * @param {import("jest-runner").TestRunnerContext} context
   */
  constructor(globalConfig, context) {
    super({ ...globalConfig, maxWorkers: globalConfig.maxWorkers === 1 ? 1 : WORKERS }, context);
  }
};
