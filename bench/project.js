/** A Pulumi project for one contestant: a program, a state of its own, and the clock running while the engine works. */
const fs = require("node:fs");
const path = require("node:path");
const { engineEnvironment } = require("../tools/engine/environment");
const { ToolError, run } = require("../tools/command");
const { local } = require("../tools/paths");
const { watchMemory } = require("./memory");

class Project {
  /**
   * @param {{engine: string, service: {url: string}, name: string, source: string}} options
   */
  constructor({ engine, service, name, source }) {
    fs.mkdirSync(path.join(local, "bench"), { recursive: true });
    this.folder = fs.mkdtempSync(path.join(local, "bench", `${name}-`));
    for (const part of ["home", "state"]) fs.mkdirSync(path.join(this.folder, part));
    this.env = {
      ...engineEnvironment({
        engine,
        home: path.join(this.folder, "home"),
        backend: path.join(this.folder, "state"),
      }),
      GPUFLEET_BASE_URL: service.url,
      GPUFLEET_API_KEY: "emulator",
    };
    this.write("package.json", JSON.stringify({ name: "bench", private: true, main: "index.js" }));
    this.write(
      "Pulumi.yaml",
      JSON.stringify({ name: "bench", runtime: { name: "nodejs", options: { typescript: false } } }),
    );
    this.write("index.js", source);
  }

  /** @param {string} name @param {string} text */
  write(name, text) {
    fs.writeFileSync(path.join(this.folder, name), text);
  }

  async initialise() {
    await this.pulumi("stack", "init", "bench");
    return this;
  }

  /**
   * @param {string[]} args
   * @returns {Promise<{seconds: number, memory: number, stdout: string}>} memory: the most that the provider process took, in MB
   */
  async pulumi(...args) {
    const memory = watchMemory(this.folder);
    const started = process.hrtime.bigint();
    const { code, stdout, stderr } = await run("pulumi", [...args, "--non-interactive"], {
      cwd: this.folder,
      env: this.env,
      output: "capture",
    });
    const seconds = Number(process.hrtime.bigint() - started) / 1e9;
    const peak = memory.stop();
    if (code !== 0) throw new ToolError(`pulumi ${args.join(" ")} failed:\n${stdout}\n${stderr}`);
    return { seconds, memory: peak, stdout };
  }

  up() {
    return this.pulumi("up", "--yes", "--skip-preview", "--suppress-progress");
  }

  preview() {
    return this.pulumi("preview", "--suppress-progress");
  }

  refresh() {
    return this.pulumi("refresh", "--yes", "--skip-preview", "--suppress-progress");
  }

  destroy() {
    return this.pulumi("destroy", "--yes", "--skip-preview", "--suppress-progress");
  }

  async state() {
    return JSON.parse((await this.pulumi("stack", "export")).stdout);
  }

  remove() {
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

module.exports = { Project };
