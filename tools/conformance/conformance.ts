/**
 * `npm run conformance`: Schemathesis makes up requests from the emulator's own description and checks every answer against
 * it: no 5xx, no answer outside its schema, no status or content type that is not described, no key needed and not asked for,
 * no malformed request accepted. Arguments go to Schemathesis.
 */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "../bootstrap/build";
import { run, ToolError } from "../bootstrap/command";
import { spawnEmulator } from "../bootstrap/emulatorProcess";
import { local } from "../bootstrap/paths";
import { getPythonEnvironment } from "../python/environment";

const API_KEY = "conformance-key";
/** All but one: a well-formed request may be refused all the same, as for a volume that does not exist. */
const CHECKS = ["--checks", "all", "--exclude-checks", "positive_data_acceptance"];
/** The same requests at every run, few enough for a minute. */
const BOUNDS = ["--max-examples", "50", "--seed", "1"];
const requirements = join(__dirname, "requirements.txt");

export async function main(args: string[]): Promise<number> {
  await build();
  const schemathesis = join(await getPythonEnvironment("schemathesis", requirements), "schemathesis");
  const logFile = join(local, `conformance-${process.pid}.log`);
  const emulator = await spawnEmulator(["--port", "0", "--api-key", API_KEY], logFile, { detached: false });
  try {
    if (!emulator) throw new ToolError(`The emulator did not start:\n${readFileSync(logFile, "utf8").trim()}`);
    const { code } = await run(
      schemathesis,
      [
        "run",
        `${emulator.url}/v2/openapi.json`,
        ...["--header", `Authorization: Bearer ${API_KEY}`],
        ...CHECKS,
        // Otherwise failures are remembered in a folder and change what the next run sends.
        ...["--generation-database", "none"],
        // These ask for test data that a description cannot hold.
        ...["--warnings", "off"],
        ...BOUNDS,
        ...args,
      ],
      { cwd: local },
    );
    return code;
  } finally {
    if (emulator) process.kill(emulator.pid);
    rmSync(logFile, { force: true });
  }
}
