/**
 * `npm run conformance`: Schemathesis makes up requests from the emulator's own description and holds every answer against
 * it: no 5xx, no answer outside its schema, no status or content type that is not described, no key needed and not asked for,
 * no malformed request accepted. Arguments go to Schemathesis.
 */
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { build } = require("../bootstrap/build");
const { ToolError, main, run } = require("../bootstrap/command");
const { installDependencies } = require("../bootstrap/dependencies");
const { spawnEmulator } = require("../bootstrap/emulatorProcess");
const { local } = require("../bootstrap/paths");
const { announce } = require("../bootstrap/progress");

const API_KEY = "emulator";
/** All but one: a well-formed request may be refused all the same, as for a volume that does not exist. */
const CHECKS = ["--checks", "all", "--exclude-checks", "positive_data_acceptance"];
/** The same requests at every run, few enough for a minute. */
const BOUNDS = ["--max-examples", "50", "--seed", "1"];
const requirements = path.join(__dirname, "requirements.txt");

main(async () => {
  await installDependencies();
  await build();
  const schemathesis = await installSchemathesis();
  const logFile = path.join(local, `conformance-${process.pid}.log`);
  const emulator = await spawnEmulator(["--port", "0"], logFile, { detached: false });
  try {
    if (!emulator) throw new ToolError(`The emulator did not start:\n${fs.readFileSync(logFile, "utf8").trim()}`);
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
        ...process.argv.slice(2),
      ],
      { cwd: local },
    );
    return code;
  } finally {
    if (emulator) process.kill(emulator.pid);
    fs.rmSync(logFile, { force: true });
  }
});

/**
 * A virtual environment cannot be moved, so it is made in place, and a file that is written last says that it is whole.
 * @returns {Promise<string>} the executable
 */
async function installSchemathesis() {
  const key = createHash("sha256").update(fs.readFileSync(requirements)).digest("hex").slice(0, 12);
  const environment = path.join(local, `schemathesis-${key}`);
  const whole = path.join(environment, "whole");
  if (!fs.existsSync(whole)) {
    announce("Schemathesis")("installing into a virtual environment of its own (about 20 seconds)");
    fs.rmSync(environment, { recursive: true, force: true });
    await succeed("python3", ["-m", "venv", environment]);
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", requirements];
    await succeed(path.join(environment, "bin", "python"), pip);
    fs.writeFileSync(whole, "");
  }
  return path.join(environment, "bin", "schemathesis");
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
async function succeed(command, args) {
  const { code, stdout, stderr } = await run(command, args, { output: "capture" });
  if (code !== 0) throw new ToolError(`${command} ${args.join(" ")} failed:\n${(stderr || stdout).trim()}`);
}
