import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { createClient } from "../../provider/client";
import { root } from "../../tools/bootstrap/paths";
import { paths } from "../emulator/rig";
import { describeWith } from "../requirements";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";

const program = (short: object, others = "") => `
  const { GpuFleet, VmRental } = require("pulumi-gpufleet");
  new VmRental("short", ${JSON.stringify({ gpuCount: 2, ...short })});
  ${others}
`;
const others = `
  const dev = new VmRental("dev", { gpuCount: 2, waitForGpus: true });
  new GpuFleet("fleet", { kind: "vm", count: 2, regions: ["us-central-1"], gpuCount: 1, waitForGpus: true });
  exports.connection = dev.connection;
  exports.sshConfig = dev.sshConfig;
`;

describeWith("sshd", "ssh to the machines of a stack, on the real engine", (server) => {
  const home = mkdtempSync(join(tmpdir(), "gpufleet-ssh-home-"));
  const key = join(home, "key");
  let emulated: EmulatedWorkspace;

  beforeAll(async () => {
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
    const publicKeys = [readFileSync(`${key}.pub`, "utf8").trim()];
    emulated = await createEmulatedWorkspace({
      program: program({ waitForGpus: true, timeouts: { create: 8 } }),
      emulator: { sshServer: { program: server, publicKeys } },
      env: { HOME: home, GPUFLEET_RECONCILE_SECONDS: "1" },
      config: { "gpufleet:sshKeyFile": key },
    });
  });
  afterAll(async () => {
    await emulated.dispose();
    rmSync(home, { recursive: true, force: true });
  });

  // Not synchronous: the emulator runs in this process.
  const run = (command: string, args: readonly string[]) =>
    new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
      const { folder, env } = emulated.workspace;
      const child = spawn(command, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
      const said = { stdout: "", stderr: "" };
      for (const name of ["stdout", "stderr"] as const) child[name].on("data", (text) => (said[name] += text));
      child.once("close", (code) => resolve({ code, ...said }));
    });
  const gpufleet = (...args: string[]) => run(process.execPath, [join(root, "bin", "gpufleet"), ...args]);
  const idOf = async (name: string) => {
    const { deployment } = emulated.workspace.exportState();
    return deployment.resources.find(({ urn }) => urn.endsWith(`::${name}`))?.id ?? "";
  };
  const user = userInfo().username;

  test("a machine is ready when its GPUs are there, and one that lacks some stays in the state", async () => {
    const match = { method: "POST", path: paths.vm };
    emulated.emulator.faults.add({ match, kind: "gpu-trouble", missing: 1 });
    const short = await emulated.workspace.up();
    expect(short.code).toBe(1);
    expect(short.output).toMatch(
      /creating VmRental "short": Running, but nvidia-smi lists 1 of 2 GPUs, after \ds\. It is in the state with id \d+\. Run `pulumi up` again to continue waiting, or raise timeouts\.create\./,
    );
    emulated.workspace.writeProgram(program({ waitForGpus: false }, others));
    expect(await emulated.workspace.up()).toMatchObject({ code: 0, summary: { updated: 1, replaced: 0 } });
    const outputs = await emulated.workspace.outputs();
    expect(outputs["connection"]).toEqual({ host: "127.0.0.1", port: expect.any(Number), user });
    expect(outputs["sshConfig"]).toMatch(/^Host dev\n {2}HostName 127\.0\.0\.1\n/);
  });

  test("gpufleet ssh runs a command there and passes its exit code on", async () => {
    const { code, stdout } = await gpufleet("ssh", "dev", "--", "nvidia-smi -L; exit 7");
    expect([code, stdout.match(/^GPU \d/gm)]).toEqual([7, ["GPU 0", "GPU 1"]]);
    expect(await gpufleet("ssh", "fleet-1", "--node", "1", "--", "id", "-un")).toMatchObject({
      code: 0,
      stdout: `${user}\n`,
    });
    expect(await gpufleet("ssh", "dve")).toEqual({
      code: 1,
      stdout: "",
      stderr: 'gpufleet: stack workspace/test has no machine "dve". Did you mean dev?\n',
    });
  });

  test("ssh-config --write makes them known to ssh, and a replaced machine raises no alarm", async () => {
    const config = join(home, ".ssh", "gpufleet", "workspace+test.conf");
    expect(await gpufleet("ssh-config", "--write")).toEqual({
      code: 0,
      stdout: `Wrote ${config}: 4 hosts. Try: ssh short\n`,
      stderr: "",
    });
    expect(statSync(config).mode & 0o777).toBe(0o600);
    const ssh = () => run("ssh", ["-F", join(home, ".ssh", "config"), "-o", "BatchMode=yes", "dev", "hostname"]);
    expect(await ssh()).toMatchObject({ code: 0 });
    const lost = await idOf("dev");
    const client = createClient({ baseUrl: emulated.url, apiKey: "emulator-key" });
    await client.terminateRental({ rentalType: "virtual-machine", rentalId: Number(lost) });
    expect(await emulated.workspace.up("--refresh")).toMatchObject({ code: 0 });
    expect(await idOf("dev")).not.toBe(lost);
    expect(await gpufleet("ssh", "dev", "--", "true")).toMatchObject({ code: 0 });
    await gpufleet("ssh-config", "--write");
    expect(await ssh()).toMatchObject({ code: 0 });
  });

  test("destroy leaves nothing of it, on the service and in ~/.ssh", async () => {
    expect(readFileSync(join(home, ".ssh", "config"), "utf8")).toBe(`Include ${home}/.ssh/gpufleet/*.conf\n`);
    expect(await emulated.workspace.destroy()).toMatchObject({ code: 0 });
    expect(emulated.emulator.state().filter(({ billing }) => billing)).toEqual([]);
    expect([existsSync(join(home, ".ssh", "gpufleet")), existsSync(join(home, ".ssh", "config"))]).toEqual([
      false,
      false,
    ]);
    expect((await gpufleet("ssh-config", "--remove")).stdout).toBe(
      "There is nothing of workspace/test in ~/.ssh/gpufleet.\n",
    );
  });
});
