import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { GpuAnswer, GpuQuestion } from "../lifecycle";
import { cleanText } from "../shared/cleanText";
import { hostOptions, noSshProgram, sshArguments } from "../shared/sshArguments";
import { makeSshFolder, sshFilesOf } from "../shared/sshFiles";

/** Nobody is there to answer a question, and nothing of the user's own settings may keep it from coming back. */
const batch = [
  ["BatchMode", "yes"],
  ["ConnectTimeout", "10"],
  ["ConnectionAttempts", "1"],
  ["ServerAliveInterval", "5"],
  ["ServerAliveCountMax", "3"],
  ["ControlPath", "none"],
  ["ForwardAgent", "no"],
  ["ForwardX11", "no"],
  ["ClearAllForwardings", "yes"],
  ["PermitLocalCommand", "no"],
  ["RemoteCommand", "none"],
  ["LogLevel", "ERROR"],
] as const;

const fields = ["index", "name", "ecc.errors.uncorrected.volatile.total"];
const command = `nvidia-smi --query-gpu=${fields.join(",")} --format=csv,noheader`;

/** Each question is a process: a large fleet asks a few machines at a time. */
const mostAtOnce = 16;
let running = 0;
const queue: (() => void)[] = [];

async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running >= mostAtOnce) await new Promise<void>((go) => queue.push(go));
  else running++;
  try {
    return await work();
  } finally {
    const next = queue.shift();
    if (next) next();
    else running--;
  }
}

/** Asks `nvidia-smi` on a machine for its GPUs, over the user's own ssh. */
export async function askGpus(question: GpuQuestion, milliseconds: number): Promise<GpuAnswer> {
  const { endpoint, alias, stack, keyFile } = question;
  if (keyFile !== undefined && !existsSync(keyFile)) {
    return {
      kind: "impossible",
      reason: `there is no ssh key ${keyFile} (gpufleet:sshKeyFile, GPUFLEET_SSH_KEY_FILE)`,
    };
  }
  const files = sshFilesOf(stack);
  makeSshFolder(files);
  const options = [...batch, ...hostOptions(files, keyFile)];
  const args = sshArguments({ ...endpoint, alias }, options, ["-T", "-n"]);
  const exit = await inTurn(() => run(args, milliseconds));
  return readAnswer(exit, question);
}

/** How a run of ssh ended. */
export interface SshExit {
  /** Undefined where it was stopped, or could not be started. */
  code: number | undefined;
  stdout: string;
  stderr: string;
  /** Whether there is no such program. */
  isMissing?: boolean;
}

function run(args: readonly string[], milliseconds: number): Promise<SshExit> {
  return new Promise((resolve) => {
    const said = { stdout: "", stderr: "" };
    const child = spawn("ssh", [...args, command], { stdio: ["ignore", "pipe", "pipe"] });
    const timer = setTimeout(() => child.kill("SIGKILL"), milliseconds);
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => {
        if (said[name].length < 65_536) said[name] += text;
      });
    }
    child.once("error", (error) => {
      clearTimeout(timer);
      resolve({
        ...said,
        code: undefined,
        isMissing: "code" in error && error.code === "ENOENT",
        stderr: error.message,
      });
    });
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ ...said, code: code ?? undefined });
    });
  });
}

/** ssh itself has failed. */
const sshFailed = 255;
const notFound = 127;

export function readAnswer(exit: SshExit, { endpoint, keyFile }: GpuQuestion): GpuAnswer {
  const { code, stdout, stderr } = exit;
  const said = cleanText(lastLine(stderr) || lastLine(stdout), { max: 300 });
  if (exit.isMissing) return { kind: "impossible", reason: noSshProgram };
  if (code === undefined) return { kind: "silent", reason: said || "it did not answer in time" };
  const [, rightUser] = /login as the user "?([\w.-]+)"?/i.exec(stdout + stderr) ?? [];
  if (rightUser !== undefined) {
    const reason = `it accepts only the user ${rightUser}, but the service names ${endpoint.user}`;
    return { kind: "impossible", reason };
  }
  if (code === sshFailed) return readFailure(stderr, said, endpoint.user, keyFile);
  if (code === notFound) return { kind: "waiting", reason: "there is no nvidia-smi on it" };
  const gpus = stdout.split("\n").flatMap((line) => readGpu(line) ?? []);
  if (gpus.length === 0 && !/no devices/i.test(stdout)) {
    return { kind: "waiting", reason: `nvidia-smi failed with ${code}: ${said || "it said nothing"}` };
  }
  const lost = stdout.split("\n").filter((line) => /^Unable to determine the device handle/.test(line));
  const troubles = [...gpus.flatMap(({ trouble }) => trouble ?? []), ...lost].map((text) =>
    cleanText(text, { max: 200 }),
  );
  return { kind: "gpus", count: gpus.length, troubles };
}

function readFailure(stderr: string, said: string, user: string, keyFile: string | undefined): GpuAnswer {
  if (/host key verification failed|host identification has changed/i.test(stderr)) {
    return {
      kind: "impossible",
      reason:
        "its host key is not the one that it had before: somebody else may be answering. If you know why, run `gpufleet ssh-config --remove`, which forgets the keys of this stack",
    };
  }
  if (/permission denied|too many authentication failures|no supported authentication/i.test(stderr)) {
    const accepts =
      keyFile === undefined ? "accepts no key of your ssh agent or of ~/.ssh" : `does not accept the key ${keyFile}`;
    return {
      kind: "denied",
      reason: `it ${accepts} for the user ${user} (${said}). Register your public key with the service before renting, or name the right key: \`pulumi config set gpufleet:sshKeyFile FILE\`, or GPUFLEET_SSH_KEY_FILE`,
    };
  }
  return { kind: "waiting", reason: said || "ssh did not get through" };
}

/** `0, NVIDIA H100 80GB HBM3, 0` */
function readGpu(line: string): { trouble?: string } | undefined {
  const [index, name = "", errors = ""] = line.split(", ").map((part) => part.trim());
  if (index === undefined || !/^\d+$/.test(index)) return undefined;
  const word = [name, errors].find((part) => /ERR!|\[(?!N\/A|Not Supported).*\]/i.test(part));
  if (word !== undefined) return { trouble: `GPU ${index} reports ${word}` };
  const count = Number(errors);
  return count > 0 ? { trouble: `GPU ${index} (${name}) reports ${count} uncorrected memory errors` } : {};
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)?.trim() ?? "";
}
