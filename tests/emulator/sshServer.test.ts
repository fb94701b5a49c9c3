import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createEmulator, type Emulator } from "../../emulator";
import { findPublicKeys, findSshServer } from "../../emulator/sshServer";
import { createClient } from "../../provider/client";
import { describeWith } from "../requirements";

const folder = mkdtempSync(join(tmpdir(), "gpufleet-test-ssh-"));
const key = join(folder, "key");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Endpoint {
  host: string;
  port: number;
  user: string;
}

describeWith("sshd", "An emulated machine with an ssh server", (program) => {
  let emulator: Emulator;
  let url: string;

  const start = async () => {
    emulator = createEmulator({
      provisionSeconds: 0,
      endSeconds: 0,
      dataDir: join(folder, "data"),
      sshServer: { program, publicKeys: findPublicKeys(key) },
    });
    ({ url } = await emulator.listen());
  };
  beforeAll(async () => {
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
    await start();
  });
  afterAll(() => emulator.close());

  const client = () => createClient({ baseUrl: url, apiKey: "emulator-key" });
  const rent = async (gpuCount: number) => {
    const { id, providerData } = await client().createVmRental({ gpuCount });
    const [endpoint] = providerData?.sshNetworking ?? [];
    if (!endpoint) throw new Error("there is no endpoint");
    return { id, endpoint };
  };
  const options = [
    "-F",
    "none",
    "-o",
    "BatchMode=yes",
    "-o",
    "StrictHostKeyChecking=accept-new",
    "-o",
    "IdentitiesOnly=yes",
  ];
  const argumentsFor = ({ host, port, user }: Endpoint) => [
    ...options,
    ...["-o", `UserKnownHostsFile=${join(folder, `known-${port}`)}`, "-o", "LogLevel=ERROR"],
    ...["-i", key, "-p", String(port), `${user}@${host}`],
  ];
  // Not synchronous: the emulator runs in this process.
  const ssh = (endpoint: Endpoint, ...command: string[]) =>
    new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
      const child = spawn("ssh", [...argumentsFor(endpoint), ...command], { stdio: ["ignore", "pipe", "pipe"] });
      const said = { stdout: "", stderr: "" };
      child.stdout.on("data", (text) => (said.stdout += text));
      child.stderr.on("data", (text) => (said.stderr += text));
      child.once("close", (code) => resolve({ code, ...said }));
    });

  test("is logged in to as whoever runs the emulator, and shows the GPUs that were rented", async () => {
    const { endpoint } = await rent(2);
    expect(endpoint).toMatchObject({ host: "127.0.0.1", user: userInfo().username });
    const { stdout, code } = await ssh(endpoint, "id -un; nvidia-smi -L; exit 7");
    expect([code, stdout]).toEqual([
      7,
      `${userInfo().username}
GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-4000-8000-000000000000)
GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-4000-8000-000000000001)
`,
    ]);
    const query = "nvidia-smi --query-gpu=index,name,memory.total --format=csv,noheader";
    expect((await ssh(endpoint, query)).stdout).toBe(
      "0, NVIDIA H100 80GB HBM3, 81559 MiB\n1, NVIDIA H100 80GB HBM3, 81559 MiB\n",
    );
    expect((await ssh(endpoint, "nvidia-smi")).stdout).toContain("|   1  | NVIDIA H100 80GB HBM3 ");
  });

  test("has a home and a host key of its own, and programs that change nothing", async () => {
    const [one, other] = [await rent(1), await rent(1)];
    const { stdout } = await ssh(
      one.endpoint,
      "echo hello > note; sudo apt-get install -y tmux; cat note .emulated-commands",
    );
    expect(stdout).toBe("hello\napt-get install -y tmux\n");
    expect((await ssh(other.endpoint, "ls -A")).stdout).toBe("");
    const hostKeys = [one, other].map(({ endpoint }) => readFileSync(join(folder, `known-${endpoint.port}`), "utf8"));
    expect(new Set(hostKeys.map((line) => line.trim().split(" ").at(-1))).size).toBe(2);
  });

  test("keeps its host key where the emulator keeps its machines", async () => {
    const { endpoint } = await rent(1);
    expect((await ssh(endpoint, "true")).code).toBe(0);
    await emulator.close();
    await start();
    expect(await ssh(endpoint, "true")).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("opens to no other key", async () => {
    const { endpoint } = await rent(1);
    const stranger = join(folder, "stranger");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", stranger]);
    const child = spawn(
      "ssh",
      argumentsFor(endpoint).map((part) => (part === key ? stranger : part)),
    );
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(255);
  });

  test("ends with what runs on it", async () => {
    const { id, endpoint } = await rent(1);
    expect((await ssh(endpoint, "nohup sleep 987654 >/dev/null 2>&1 & echo started")).stdout).toBe("started\n");
    const session = spawn("ssh", [...argumentsFor(endpoint), "sleep 987654"], { stdio: "ignore" });
    const ended = new Promise((resolve) => session.once("close", resolve));
    await until(() => running("sleep 987654") === 2);
    await client().terminateRental({ rentalType: "virtual-machine", rentalId: id });
    await ended;
    await until(() => running("sleep 987654") === 0);
    expect((await ssh(endpoint, "true")).code).toBe(255);
  });
});

describeWith("sshd", "gpufleet emulator --ssh-server", (program) => {
  test("that is killed leaves nothing that runs, and the next one removes its folders", async () => {
    const command = join(__dirname, "..", "..", "bin", "gpufleet");
    const start = () => {
      const path = `${join(program, "..")}:${process.env["PATH"]}`;
      const args = [command, "emulator", "--ssh-server", "--ssh-key", key, "--provision-seconds", "0"];
      const child = spawn(process.execPath, args, {
        env: { ...process.env, PATH: path },
        stdio: ["ignore", "pipe", "inherit"],
      });
      return {
        child,
        said: new Promise<string>((resolve) => child.stdout.once("data", (text) => resolve(String(text)))),
      };
    };
    const first = start();
    const [, url = ""] = /(http:\S+)/.exec(await first.said) ?? [];
    const { providerData } = await createClient({ baseUrl: url, apiKey: "emulator-key" }).createVmRental({
      gpuCount: 1,
    });
    const [{ host, port, user } = { host: "", port: 0, user: "" }] = providerData?.sshNetworking ?? [];
    const options = [
      "-F",
      "none",
      "-o",
      "BatchMode=yes",
      "-o",
      "StrictHostKeyChecking=no",
      "-o",
      "UserKnownHostsFile=/dev/null",
    ];
    const session = spawn("ssh", [...options, "-i", key, "-p", String(port), `${user}@${host}`, "sleep 876543"], {
      stdio: "ignore",
    });
    const ended = new Promise((resolve) => session.once("close", resolve));
    await until(() => running("sleep 876543") === 1);
    const left = join(tmpdir(), `gpufleet-emulated-machines-${first.child.pid}-1`);
    expect(existsSync(left)).toBe(true);
    first.child.kill("SIGKILL");
    await ended;
    await until(() => running(`${left}/rental`) === 0);
    const second = start();
    await second.said;
    expect([existsSync(left), running("sleep 876543")]).toEqual([false, 0]);
    second.child.kill("SIGTERM");
    await new Promise((resolve) => second.child.once("close", resolve));
    expect(existsSync(join(tmpdir(), `gpufleet-emulated-machines-${second.child.pid}-1`))).toBe(false);
  });
});

describe("What a machine with an ssh server needs", () => {
  test("is named where it is missing", () => {
    const nowhere = mkdtempSync(join(folder, "empty-"));
    writeFileSync(join(nowhere, "note"), "no key");
    expect(() => findPublicKeys(join(nowhere, "note"))).toThrow(
      `there is no public key in ${join(nowhere, "note")} or ${join(nowhere, "note")}.pub`,
    );
    const withoutAgent = spawnSync("ssh-add", ["-L"]).status !== 0;
    if (withoutAgent) {
      expect(() => findPublicKeys(undefined, nowhere)).toThrow(
        `no public key: there is no *.pub in ${nowhere}, and no ssh agent has one. Make one with \`ssh-keygen\`, or name one with --ssh-key`,
      );
    }
    if (!existsSync("/usr/sbin/sshd")) {
      expect(() => findSshServer("")).toThrow("no OpenSSH server is installed: there is no sshd");
    }
  });
});

/** How many processes have this in their command line. */
function running(text: string): number {
  const { stdout } = spawnSync("pgrep", ["-fc", `^${text}|sshd.*${text}`], { encoding: "utf8" });
  return Number(stdout);
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error("it did not come to pass");
    await sleep(50);
  }
}
