import { join } from "node:path";
import { run } from "../../tools/bootstrap/command";
import { root } from "../../tools/bootstrap/paths";

/** Reading the SDK with the compiler takes seconds where the machine is busy. */
jest.setTimeout(120_000);

test("Generated files are what the schemas, doc comments and examples say", async () => {
  const generate = [join("tools", "bootstrap", "run.js"), join("tools", "generate", "generate.ts")];
  const { code, stderr } = await run(process.execPath, [...generate, "--check"], { cwd: root, output: "capture" });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});
