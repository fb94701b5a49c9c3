/** @type {import("jest").Config} */
module.exports = {
  testEnvironment: "node",
  roots: ["<rootDir>/tests"],
  testMatch: ["**/*.test.ts"],
  transform: {
    "^.+\\.ts$": ["@swc/jest", { jsc: { parser: { syntax: "typescript" }, target: "es2022" }, module: { type: "commonjs" } }],
  },
  // The emulator's page and the engine's workspaces are not modules.
  modulePathIgnorePatterns: ["<rootDir>/dist", "<rootDir>/.gpufleet"],
  testTimeout: 20_000,
};
