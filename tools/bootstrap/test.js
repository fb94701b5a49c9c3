/**
 * `npm test`: sets everything up, runs jest with the arguments given, and ends with a line that counts. How long a whole run
 * took is kept for the benchmark.
 */
const fs = require("node:fs");
const path = require("node:path");
const { main, run } = require("./command");
const { local, root, testDurationFile } = require("./paths");
const { setUp } = require("./setUp");

main(async () => {
  const startedAt = performance.now();
  const { engine } = await setUp();
  fs.mkdirSync(local, { recursive: true });
  const resultFile = path.join(local, `test-result-${process.pid}.json`);
  const jest = path.join(root, "node_modules", "jest", "bin", "jest.js");
  try {
    const { code } = await run(process.execPath, [jest, ...process.argv.slice(2)], {
      cwd: root,
      env: { ...process.env, GPUFLEET_ENGINE: engine, GPUFLEET_TEST_RESULT: resultFile },
    });
    // Not written where jest has run no tests, as with --listTests.
    if (fs.existsSync(resultFile)) report(JSON.parse(fs.readFileSync(resultFile, "utf8")));
    if (code === 0 && process.argv.length === 2) keepDuration((performance.now() - startedAt) / 1000);
    return code;
  } finally {
    fs.rmSync(resultFile, { force: true });
  }
});

/** @param {number} seconds */
function keepDuration(seconds) {
  fs.writeFileSync(testDurationFile, JSON.stringify({ seconds, at: new Date().toISOString() }));
}

/** @param {import("./resultReporter").TestRunResult} result */
function report({ passed, failed, skipped }) {
  const names = skipped.map((test) => `  ${path.relative(root, test.file)}: ${test.name}\n`);
  if (names.length > 0) process.stdout.write(`\nSkipped:\n${names.join("")}\n`);
  process.stdout.write(`${passed} passed, ${failed} failed${names.length > 0 ? `, ${names.length} skipped` : ""}\n`);
}
