import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createEmulator } from "../../emulator";
import { getEngine } from "../../tools/bootstrap/engine/engine";
import { engineEnvironment } from "../../tools/bootstrap/engine/environment";
import { local, root } from "../../tools/bootstrap/paths";
import { waitUntil } from "../../tools/workspace";

const copied = ["tools", "bin", "dist", "examples", "provider", "sdk", "emulator", "cli", "plugin"];
const settings = ["Pulumi.yaml", "package.json", "package-lock.json", "schema.json", "tsconfig.json"];

async function freePort(): Promise<number> {
  const emulator = createEmulator();
  const { port } = await emulator.listen();
  await emulator.close();
  return port;
}

/** In a copy of the checkout, so that a fleet which somebody has up in this one stays as it is. */
describe("npm start and npm run destroy", () => {
  let checkout: string;
  let env: NodeJS.ProcessEnv;
  let port: number;

  beforeAll(async () => {
    mkdirSync(join(local, "tests"), { recursive: true });
    checkout = mkdtempSync(join(local, "tests", "checkout-"));
    for (const name of [...copied, ...settings]) cpSync(join(root, name), join(checkout, name), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(checkout, "node_modules"));
    const engine = process.env.GPUFLEET_ENGINE ?? (await getEngine());
    // The tools choose home and state themselves; these would show if they did not.
    const notThere = join(checkout, "not-there");
    // A port of its own: somebody may have a fleet up on this machine, or run these tests, too.
    port = await freePort();
    env = { ...engineEnvironment({ engine, home: notThere, backend: notThere }), GPUFLEET_EMULATOR_PORT: String(port) };
  });

  afterAll(() => {
    run("destroy");
    rmSync(checkout, { recursive: true, force: true });
  });

  function run(tool: "start" | "destroy", extra: NodeJS.ProcessEnv = {}) {
    const tools = join(checkout, "tools", "bootstrap");
    return spawnSync(process.execPath, [join(tools, `${tool}.js`)], { env: { ...env, ...extra }, encoding: "utf8" });
  }

  /** The same while this process goes on answering. */
  async function runBeside(tool: "start" | "destroy") {
    const child = spawn(process.execPath, [join(checkout, "tools", "bootstrap", `${tool}.js`)], { env });
    const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
    return { status, stdout, stderr };
  }

  async function stop(pid: number): Promise<void> {
    process.kill(pid, "SIGTERM");
    await waitUntil("the emulator has stopped", () =>
      fetch(emulatorUrl()).then(
        () => false,
        () => true,
      ),
    );
  }

  const emulatorUrl = (): string => JSON.parse(readFileSync(join(checkout, ".gpufleet", "emulator.json"), "utf8")).url;

  test("has nothing to destroy before anything was started", () => {
    expect(run("destroy")).toMatchObject({
      status: 0,
      stdout: "Nothing to destroy: no fleet was started here. npm start brings one up.\n",
    });
  });

  test("does not begin on a real account without a key", () => {
    expect(run("start", { GPUFLEET_BASE_URL: "https://gpu.example" })).toMatchObject({
      status: 1,
      stdout: "",
      stderr:
        "\nGPUFLEET_BASE_URL is set to https://gpu.example, but GPUFLEET_API_KEY is not. " +
        "Set the key, or unset GPUFLEET_BASE_URL to use the emulator.\n",
    });
  });

  test("refuses a port that is none", () => {
    expect(run("start", { GPUFLEET_EMULATOR_PORT: "web" })).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/\nGPUFLEET_EMULATOR_PORT must be a port, 1 to 65535, not "web"\.\n$/),
    });
  });

  test("brings up the fleet and says what it costs, where to see it and how to go on", () => {
    const { status, stdout } = run("start");
    expect(emulatorUrl()).toBe(`http://127.0.0.1:${port}`);
    expect(stdout).toMatch(/^Cost +\$\d+\.\d\d per hour, without 1 of unknown price \(emulated: no real money\)$/m);
    expect(stdout).toMatch(new RegExp(`^See it +${emulatorUrl()}$`, "m"));
    expect(stdout).toMatch(/^ssh\.workbench +ssh -p \d+ ubuntu@127\.0\.0\.1 {2}\(emulated: nothing to log in to\)$/m);
    expect(stdout).toMatch(/^Use pulumi +source \.gpufleet\/env, /m);
    expect(stdout).toMatch(
      /^End it +npm run destroy\nRead next +docs\/first-machine\.md; docs\/errors\.md if something fails\n$/m,
    );
    expect(status).toBe(0);
  });

  test("gives a shell in which plain pulumi and gpufleet work", () => {
    const script = "source .gpufleet/env && pulumi stack output costPerHour && gpufleet recover";
    expect(spawnSync("bash", ["-c", script], { cwd: checkout, encoding: "utf8" })).toMatchObject({
      status: 0,
      // The price of its virtual machine is unknown, and so is the sum.
      stdout: "unknown\nNothing to recover.\n",
    });
  });

  test("changes nothing the second time, on the same emulator", () => {
    const before = emulatorUrl();
    const { status, stdout } = run("start");
    expect(stdout).toMatch(/^Resources:\n +\d+ unchanged\n/m);
    expect(emulatorUrl()).toBe(before);
    expect(status).toBe(0);
  });

  test("says that its port is taken, gets another, and has the same fleet there", async () => {
    await stop(JSON.parse(readFileSync(join(checkout, ".gpufleet", "emulator.json"), "utf8")).pid);
    // Another checkout's emulator, which must be neither used nor stopped.
    const other = createEmulator();
    await other.listen(port);
    const { status, stdout, stderr } = await runBeside("start");
    expect(stderr).toContain(`Emulator      port ${port} is taken: it gets port ${new URL(emulatorUrl()).port} (`);
    expect(stdout).toMatch(/^Resources:\n +\d+ unchanged\n/m);
    expect(status).toBe(0);
    expect(other.requests().total).toBe(0);
    await other.close();
    // Wherever it is now, states know its address: it stays there.
    delete env.GPUFLEET_EMULATOR_PORT;
  });

  test("ends everything, shows that nothing bills and stops the emulator", async () => {
    const { status, stdout } = run("destroy");
    expect(stdout).toMatch(
      /^Nothing is billing: all \d+ objects created on the emulator have ended\. The emulator is stopped\.$/m,
    );
    expect(status).toBe(0);
    await expect(fetch(emulatorUrl())).rejects.toThrow("fetch failed");
  });
});
