/** The default fleet as a Pulumi stack, with its state under .gpufleet/. */
const fs = require("node:fs");
const path = require("node:path");
const { ToolError, run } = require("./command");
const { engineEnvironment, pulumiVariables } = require("./engine/environment");
const { readRecord } = require("./localEmulator");
const { local, root } = require("./paths");

const home = path.join(local, "pulumi");
const backend = path.join(local, "state");
const environmentFile = path.join(local, "env");

/**
 * @typedef {object} Target
 * @property {string} stack the emulator and a real account each have their own: a refresh against the wrong one would take
 *   everything for gone, and forget machines that go on billing
 * @property {boolean} emulated
 */

/**
 * How the provider reaches the service, as environment variables: these two, and for an account whatever else is set.
 * @typedef {{GPUFLEET_BASE_URL: string, GPUFLEET_API_KEY: string} & NodeJS.ProcessEnv} Service
 */

/** @returns {Target} */
function chooseTarget(env = process.env) {
  // After `source .gpufleet/env` the variable names the emulator, or where it was before its port was taken.
  const { url, earlier = [] } = readRecord() ?? {};
  const real = env.GPUFLEET_BASE_URL && ![url, ...earlier].includes(env.GPUFLEET_BASE_URL);
  if (real && !env.GPUFLEET_API_KEY) {
    throw new ToolError(
      `GPUFLEET_BASE_URL is set to ${env.GPUFLEET_BASE_URL}, but GPUFLEET_API_KEY is not. Set the key, or unset GPUFLEET_BASE_URL to use the emulator.`,
    );
  }
  return real ? { stack: "live", emulated: false } : { stack: "dev", emulated: true };
}

/**
 * Looks into the state without the engine, which may not be there yet.
 * @param {string} stack
 * @returns {number | undefined} how many resources it holds; undefined where there is no such stack
 */
function countResources(stack) {
  try {
    const state = JSON.parse(
      fs.readFileSync(path.join(backend, ".pulumi", "stacks", "gpufleet", `${stack}.json`), "utf8"),
    );
    return state.checkpoint.latest?.resources?.length ?? 0;
  } catch {
    return undefined;
  }
}

/**
 * The real account of the environment.
 * @returns {Service}
 */
function accountService(env = process.env) {
  const settings = Object.entries(env).filter(([name]) => name.startsWith("GPUFLEET_"));
  return { GPUFLEET_BASE_URL: "", GPUFLEET_API_KEY: "", ...Object.fromEntries(settings) };
}

class LocalStack {
  /**
   * @param {string} engine
   * @param {string} name
   * @param {Service} service
   */
  constructor(engine, name, service) {
    this.engine = engine;
    this.name = name;
    this.service = service;
    this.env = { ...engineEnvironment({ engine, home, backend }), ...service };
    for (const folder of [home, backend, path.join(local, "stacks")]) fs.mkdirSync(folder, { recursive: true });
  }

  /** Selects it, makes it first if need be, and stores where the service is: refresh and destroy read it from there. */
  async prepare() {
    await this.ask("stack", "select", "--create", this.name);
    await this.ask("config", "set", "--stack", this.name, "gpufleet:baseUrl", this.service.GPUFLEET_BASE_URL);
  }

  /**
   * Shows what Pulumi says.
   * @param {...string} args
   */
  async show(...args) {
    return (await run("pulumi", [...args, "--stack", this.name], { cwd: root, env: this.env })).code;
  }

  /** @param {...string} args */
  async ask(...args) {
    const { code, stdout, stderr } = await run("pulumi", [...args, "--non-interactive"], {
      cwd: root,
      env: this.env,
      output: "capture",
    });
    if (code !== 0) throw new ToolError(`pulumi ${args.join(" ")} failed:\n${(stderr || stdout).trim()}`);
    return stdout;
  }

  /** @returns {Promise<Record<string, unknown>>} */
  async outputs() {
    return JSON.parse(await this.ask("stack", "output", "--json", "--stack", this.name));
  }

  /** Writes the file that makes plain `pulumi` and `gpufleet` work in a shell; the key of a real account is not ours to store. */
  writeEnvironmentFile(withKey = false) {
    const { GPUFLEET_BASE_URL, GPUFLEET_API_KEY, GPUFLEET_MOVED_FROM } = this.service;
    const variables = {
      ...pulumiVariables({ engine: this.engine, home, backend }),
      GPUFLEET_BASE_URL,
      ...(GPUFLEET_MOVED_FROM && { GPUFLEET_MOVED_FROM }),
      ...(withKey && { GPUFLEET_API_KEY }),
    };
    const quote = (/** @type {string} */ text) => `'${text.replaceAll("'", "'\\''")}'`;
    const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${quote(value)}\n`);
    const folders = [this.engine, path.join(root, "bin")].map(quote).join(":");
    fs.writeFileSync(environmentFile, `${lines.join("")}export PATH=${folders}:"$PATH"\n`);
    return path.relative(root, environmentFile);
  }
}

module.exports = { LocalStack, accountService, chooseTarget, countResources };
