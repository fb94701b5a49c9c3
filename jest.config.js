const { availableParallelism } = require("node:os");

const shared = {
  testEnvironment: "node",
  roots: ["<rootDir>/tests"],
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      { jsc: { parser: { syntax: "typescript" }, target: "es2022" }, module: { type: "commonjs" } },
    ],
  },
  // Copies of the package's own modules, and the workspaces of engine tests.
  modulePathIgnorePatterns: ["<rootDir>/dist", "<rootDir>/.gpufleet"],
};

/** @type {import("jest").Config} */
module.exports = {
  testTimeout: 60_000,
  testSequencer: "<rootDir>/tests/sequencer.js",
  // Some tests wait for other programs most of the time; one of the engine does for a third of it.
  maxWorkers: 2 * availableParallelism(),
  // The second one writes only where tools/bootstrap/test.js asks for it.
  reporters: ["default", "<rootDir>/tools/bootstrap/resultReporter.js"],
  projects: [
    {
      ...shared,
      displayName: "unit",
      testMatch: ["<rootDir>/tests/**/*.test.ts"],
      testPathIgnorePatterns: ["<rootDir>/tests/engine/"],
    },
    {
      ...shared,
      displayName: "engine",
      testMatch: ["<rootDir>/tests/engine/**/*.test.ts"],
      setupFilesAfterEnv: ["<rootDir>/tests/engine/setUp.ts"],
    },
  ],
};
