import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { getEngine } from "../../tools/bootstrap/engine/engine";
import { engineEnvironment } from "../../tools/bootstrap/engine/environment";
import { local, root } from "../../tools/bootstrap/paths";

const copied = ["tools", "bin", "dist", "examples", "provider", "sdk", "emulator", "cli"];
const settings = ["Pulumi.yaml", "package.json", "package-lock.json", "tsconfig.json"];

/** In a copy of the checkout, so that a fleet which somebody has up in this one stays as it is. */
describe("npm start and npm run destroy", () => {
  let checkout: string;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    mkdirSync(join(local, "tests"), { recursive: true });
    checkout = mkdtempSync(join(local, "tests", "checkout-"));
    for (const name of [...copied, ...settings]) cpSync(join(root, name), join(checkout, name), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(checkout, "node_modules"));
    const engine = process.env.GPUFLEET_ENGINE ?? (await getEngine());
    // The tools choose home and state themselves; these would show if they did not.
    const notThere = join(checkout, "not-there");
    env = engineEnvironment({ engine, home: notThere, backend: notThere });
  });

  afterAll(() => {
    run("destroy");
    rmSync(checkout, { recursive: true, force: true });
  });

  function run(tool: "start" | "destroy", extra: NodeJS.ProcessEnv = {}) {
    const tools = join(checkout, "tools", "bootstrap");
    return spawnSync(process.execPath, [join(tools, `${tool}.js`)], { env: { ...env, ...extra }, encoding: "utf8" });
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

  test("brings up the fleet and says what it costs, where to see it and how to go on", () => {
    const { status, stdout } = run("start");
    expect(stdout).toMatch(/^Cost +\$\d+\.\d\d per hour, without 1 of unknown price \(emulated: no real money\)$/m);
    expect(stdout).toMatch(new RegExp(`^See it +${emulatorUrl()}$`, "m"));
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
      stdout: expect.stringMatching(/^[\d.]+\nNothing to recover\.\n$/),
    });
  });

  test("changes nothing the second time, on the same emulator", () => {
    const before = emulatorUrl();
    const { status, stdout } = run("start");
    expect(stdout).toMatch(/^Resources:\n +\d+ unchanged\n/m);
    expect(emulatorUrl()).toBe(before);
    expect(status).toBe(0);
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
