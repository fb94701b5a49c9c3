import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "../../tools/bootstrap/paths";
import { describeWith } from "../requirements";

// The first time, Schemathesis is installed.
const timeLimitMs = 240_000;
jest.setTimeout(timeLimitMs);

describeWith("python", "npm run conformance", () => {
  test("finds no answer of the emulator outside its own description", () => {
    const tool = [join("tools", "bootstrap", "run.js"), join("tools", "conformance", "conformance.ts")];
    const { status, stdout, stderr } = spawnSync(process.execPath, [...tool, "--no-color", "--max-examples", "8"], {
      cwd: root,
      encoding: "utf8",
      timeout: timeLimitMs,
    });
    // What was found is in the output; comparing it shows it when the test fails.
    expect({ status, said: stdout + stderr }).toEqual({
      status: 0,
      said: expect.stringMatching(/\d+ generated, \d+ passed/),
    });
  });
});
