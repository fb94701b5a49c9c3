/** A jest reporter that hands the counts of a run to test.js, through the file named in the environment. */
const fs = require("node:fs");

/**
 * @typedef {object} TestRunResult
 * @property {number} passed
 * @property {number} failed tests, and files that could not even be loaded
 * @property {{file: string, name: string}[]} skipped
 */

class ResultReporter {
  /**
   * @param {unknown} _contexts
   * @param {import("@jest/test-result").AggregatedResult} results
   */
  onRunComplete(_contexts, results) {
    /** @type {TestRunResult} */
    const result = {
      passed: results.numPassedTests,
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.testResults.flatMap((file) =>
        file.testResults
          .filter((test) => test.status === "pending" || test.status === "todo")
          .map((test) => ({ file: file.testFilePath, name: test.fullName })),
      ),
    };
    const file = process.env.GPUFLEET_TEST_RESULT;
    if (file) fs.writeFileSync(file, JSON.stringify(result));
  }
}

module.exports = ResultReporter;
