import { existsSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../tools/bootstrap/command";
import { root } from "../../tools/bootstrap/paths";
import { listExamples } from "../../tools/generate/examples";

const tested = listExamples().filter((name) => existsSync(join(root, "examples", name, "index.test.ts")));

test.each(tested)("The unit tests of examples/%s pass, without an engine or a service", async (name) => {
  const { GPUFLEET_BASE_URL: _url, GPUFLEET_API_KEY: _key, ...env } = process.env;
  const { code, stdout } = await run(process.execPath, ["--require", "ts-node/register", "index.test.ts"], {
    cwd: join(root, "examples", name),
    env,
    output: "capture",
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^# pass [1-9]\d*\n# fail 0$/m) });
});
