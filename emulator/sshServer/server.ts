import { type ChildProcess, execFile, spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { userInfo } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { messageOf } from "../../provider/shared/messageOf";
import type { SshServerOptions } from "../options";
import type { SshMachine, SshShell } from "../state";
import { type MachinesFolder, makeMachinesFolder, removeMachines } from "./folder";
import { findSshServer } from "./programs";
import { findPublicKeys } from "./publicKeys";

const execute = promisify(execFile);

/** sshd of these systems reads sftp's program from here. */
const sftpServers = ["/usr/lib/openssh/sftp-server", "/usr/libexec/openssh/sftp-server", "/usr/libexec/sftp-server"];

const gpuModels: Readonly<Record<string, { name: string; mib: number }>> = {
  h100: { name: "NVIDIA H100 80GB HBM3", mib: 81_559 },
  h200: { name: "NVIDIA H200", mib: 143_771 },
  b200: { name: "NVIDIA B200", mib: 183_359 },
};

/**
 * A real shell on every emulated machine: each connection gets an sshd of its own that speaks over pipes (`sshd -i`), so that no port is
 * opened besides that of the machine, and it ends when the emulator does, however that ends.
 */
export class SshServer implements SshShell {
  /** Whoever runs the emulator: an sshd that is not root's can log in nobody else. */
  readonly user = userInfo().username;
  readonly #folder: MachinesFolder;
  readonly #sessions = new Map<string, Set<ChildProcess>>();
  readonly #machines = new Map<string, Promise<string>>();

  readonly #program: string;

  /** @param hostKeys a folder to keep host keys in across restarts, as the machines are kept */
  constructor(
    { program, publicKeys, keyFile }: SshServerOptions,
    private readonly hostKeys?: string,
  ) {
    this.#program = program ?? findSshServer();
    this.#folder = makeMachinesFolder(publicKeys ?? findPublicKeys(keyFile));
  }

  /** Whether sshd can work here; throws what it says where it cannot. */
  async check(): Promise<void> {
    const config = await this.#configure("check");
    const test = () => execute(this.#program, ["-t", "-f", config]);
    await test().catch(async (error: unknown) => {
      // As root it wants an empty folder, which the service of a package makes when it is started.
      const [, folder] = /Missing privilege separation directory: (\S+)/.exec(String(error)) ?? [];
      if (folder === undefined) throw new Error(`sshd cannot run here: ${reasonIn(error)}`, { cause: error });
      mkdirSync(folder, { recursive: true, mode: 0o755 });
      await test();
    });
  }

  serve(key: string, machine: SshMachine, socket: Socket): void {
    socket.pause();
    this.#prepare(key, machine)
      .then((config) => this.#connect(key, config, socket))
      .catch(() => socket.destroy());
  }

  end(key: string): void {
    // Nobody has ever logged in.
    if (!this.#machines.has(key)) return;
    for (const session of this.#sessions.get(key) ?? []) session.kill();
    this.#sessions.delete(key);
    this.#machines.delete(key);
    removeMachines(this.#pathOf(key));
    const hostKey = this.#hostKeyOf(key);
    for (const file of [hostKey, `${hostKey}.pub`]) rmSync(file, { force: true });
  }

  close(): void {
    for (const sessions of this.#sessions.values()) for (const session of sessions) session.kill();
    this.#sessions.clear();
    removeMachines(this.#folder.path);
  }

  #pathOf(key: string): string {
    return join(this.#folder.path, key.replaceAll(/[^\w.-]+/g, "-"));
  }

  #hostKeyOf(key: string): string {
    return join(this.hostKeys ?? this.#pathOf(key), `${basename(this.#pathOf(key))}.key`);
  }

  /** The machine's configuration, made when somebody first connects: most machines are never logged in to. */
  #prepare(key: string, machine: SshMachine): Promise<string> {
    const known = this.#machines.get(key);
    if (known) return known;
    const made = this.#configure(key, machine);
    this.#machines.set(key, made);
    made.catch(() => this.#machines.delete(key));
    return made;
  }

  async #configure(key: string, machine?: SshMachine): Promise<string> {
    const path = this.#pathOf(key);
    mkdirSync(join(path, "home"), { recursive: true, mode: 0o700 });
    const hostKey = this.#hostKeyOf(key);
    mkdirSync(dirname(hostKey), { recursive: true, mode: 0o700 });
    if (!existsSync(hostKey)) await execute("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", key, "-f", hostKey]);
    writeFileSync(join(path, "gpus"), gpuVariables(machine));
    const config = join(path, "sshd_config");
    const { login, programs, authorizedKeys } = this.#folder;
    const sftp = sftpServers.find((file) => existsSync(file));
    const lines = [
      `HostKey ${hostKey}`,
      `AuthorizedKeysFile ${authorizedKeys}`,
      `ForceCommand ${login} ${path} ${programs}`,
      `AllowUsers ${this.user}`,
      "PermitRootLogin prohibit-password",
      "PasswordAuthentication no",
      "KbdInteractiveAuthentication no",
      "UsePAM no",
      // The folder of temporary files is everybody's, which strict modes refuse; what lies in ours is only ours.
      "StrictModes no",
      "PidFile none",
      "PrintMotd no",
      "PrintLastLog no",
      "UseDNS no",
      ...(sftp ? [`Subsystem sftp ${sftp}`] : []),
    ];
    writeFileSync(config, `${lines.join("\n")}\n`, { mode: 0o600 });
    return config;
  }

  #connect(key: string, config: string, socket: Socket): void {
    if (socket.destroyed) return;
    const log = openSync(join(this.#pathOf(key), "log"), "a", 0o600);
    const session = spawn(this.#program, ["-i", "-e", "-f", config], { stdio: ["pipe", "pipe", log] });
    closeSync(log);
    const sessions = this.#sessions.get(key) ?? new Set();
    this.#sessions.set(key, sessions.add(session));
    session.once("error", () => socket.destroy());
    session.once("exit", () => sessions.delete(session));
    for (const stream of [session.stdin, session.stdout]) stream?.on("error", () => socket.destroy());
    socket.once("close", () => session.stdin?.end());
    if (session.stdin) socket.pipe(session.stdin);
    session.stdout?.pipe(socket);
  }
}

/** As the session's shell reads them. */
function gpuVariables(machine: SshMachine | undefined): string {
  const { name = machine?.gpuModel ?? "Emulated GPU", mib = 81_559 } = gpuModels[machine?.gpuType ?? ""] ?? {};
  const { missing = 0, broken = 0 } = machine?.ssh.gpuTrouble ?? {};
  const variables = {
    GPUFLEET_EMULATED_GPUS: Math.max(0, (machine?.gpuCount ?? 0) - missing),
    GPUFLEET_EMULATED_GPU_MODEL: `'${name.replaceAll("'", "")}'`,
    GPUFLEET_EMULATED_GPU_MIB: mib,
    GPUFLEET_EMULATED_BROKEN_GPUS: broken,
  };
  return Object.entries(variables)
    .map(([variable, value]) => `export ${variable}=${value}\n`)
    .join("");
}

function reasonIn(error: unknown): string {
  const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
  return said || messageOf(error);
}
