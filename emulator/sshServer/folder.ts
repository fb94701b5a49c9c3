import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endProcessesOf } from "./processes";

const prefix = "gpufleet-emulated-machines-";
/** Programs that would change the computer which the emulator runs on. */
const harmless = ["apt", "apt-get", "dpkg", "loginctl", "poweroff", "reboot", "service", "shutdown", "systemctl"];

/** What all machines of one emulator share: the keys that open them, and the programs that they have. */
export interface MachinesFolder {
  path: string;
  /** Begins every session. */
  login: string;
  /** The stand-ins, first on the PATH of every session. */
  programs: string;
  authorizedKeys: string;
}

/** Made anew for each emulator, and named after its process, so that a later one can tell what a killed one has left. */
export function makeMachinesFolder(publicKeys: readonly string[]): MachinesFolder {
  removeAbandoned();
  const path = freshFolder();
  const folder = {
    path,
    login: join(path, "login"),
    programs: join(path, "programs"),
    authorizedKeys: join(path, "authorized_keys"),
  };
  mkdirSync(folder.programs);
  copyProgram(join(__dirname, "login"), folder.login);
  for (const name of ["nvidia-smi", "sudo"]) copyProgram(standIn(name), join(folder.programs, name));
  for (const name of harmless) copyProgram(standIn("changesNothing"), join(folder.programs, name));
  writeFileSync(folder.authorizedKeys, `${publicKeys.join("\n")}\n`, { mode: 0o600 });
  return folder;
}

function freshFolder(number = 1): string {
  const path = join(tmpdir(), `${prefix}${process.pid}-${number}`);
  if (existsSync(path)) return freshFolder(number + 1);
  mkdirSync(path, { mode: 0o700 });
  return path;
}

function standIn(name: string): string {
  return join(__dirname, "standIns", name);
}

function copyProgram(from: string, to: string): void {
  copyFileSync(from, to);
  chmodSync(to, 0o755);
}

/** What an emulator that was killed could not remove, with what still runs on its machines. */
function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = new RegExp(`^${prefix}(\\d+)-\\d+$`).exec(name) ?? [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    removeMachines(join(tmpdir(), name));
  }
}

/** Ends what runs on these machines, and removes them. What belongs to somebody else stays. */
export function removeMachines(path: string): void {
  endProcessesOf(path);
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // Of another user, who will do it.
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return typeof error === "object" && error !== null && "code" in error && error.code === "EPERM";
  }
}
