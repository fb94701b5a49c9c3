import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { type StackName, tellingParts } from "./stackName";

/** What lies in `~/.ssh/gpufleet` of one stack. */
export interface SshFiles {
  /** Its hosts, for `ssh`. */
  config: string;
  /** The host keys of its machines. */
  knownHosts: string;
}

const extension = ".conf";

/** Names of organizations, projects and stacks have no `+`, so that two stacks never share a file. */
export function sshFilesOf(of: StackName, home = homedir()): SshFiles {
  const name = tellingParts(of)
    .map((part) => part.replaceAll(/[^\w.-]+/g, "-"))
    .join("+");
  const path = join(folderIn(home), name);
  return { config: `${path}${extension}`, knownHosts: `${path}.known_hosts` };
}

function folderIn(home: string): string {
  return join(home, ".ssh", "gpufleet");
}

/** Makes the folder of these files, which is nobody else's to read. */
export function makeSshFolder({ knownHosts }: SshFiles): void {
  const folder = dirname(knownHosts);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
}

/** Writes the hosts of a stack, and has `~/.ssh/config` include them. */
export function writeSshFile(files: SshFiles, text: string): void {
  makeSshFolder(files);
  writeWhole(files.config, text);
  const config = userConfigBeside(files);
  const line = includeLine(files);
  const before = readIfThere(config);
  // At the top: further down it would be part of the host above it.
  if (!linesOf(before).includes(line)) writeWhole(config, `${line}\n${before === "" ? "" : "\n"}${before}`);
}

/** Removes the hosts and the host keys of a stack; says whether there was anything. */
export function removeSshFiles(files: SshFiles): boolean {
  const had = [files.config, files.knownHosts].filter((file) => existsSync(file));
  for (const file of had) rmSync(file, { force: true });
  if (had.length > 0) removeTraces(files);
  return had.length > 0;
}

/** A machine that has ended takes its entries along: the last one the files, and the last file the line in `~/.ssh/config`. */
export function forgetMachine(files: SshFiles, prefix: string): void {
  const config = readIfThere(files.config);
  const blocks = config.split(/^(?=Host )/m);
  const kept = blocks.filter((block) => !block.includes(`\n  HostKeyAlias ${prefix}`));
  const keys = linesOf(readIfThere(files.knownHosts));
  const keptKeys = keys.filter((line) => !line.startsWith(prefix));
  if (kept.length === blocks.length && keptKeys.length === keys.length) return;
  keepOrRemove(files.config, kept.some((block) => block.startsWith("Host ")) ? kept.join("") : "");
  keepOrRemove(files.knownHosts, keptKeys.join("\n"));
  removeTraces(files);
}

function keepOrRemove(file: string, text: string): void {
  if (text.trim() === "") rmSync(file, { force: true });
  else if (text !== readIfThere(file)) writeWhole(file, text);
}

/** With the last file goes what pointed to it. */
function removeTraces(files: SshFiles): void {
  const folder = dirname(files.config);
  const left = readdirSync(folder);
  if (!left.some((name) => name.endsWith(extension))) {
    const config = userConfigBeside(files);
    const before = readIfThere(config);
    const line = includeLine(files);
    if (linesOf(before).includes(line)) {
      const after = linesOf(before)
        .filter((each) => each !== line)
        .join("\n")
        .replace(/^\n/, "");
      if (after.trim() === "") rmSync(config, { force: true });
      else writeWhole(config, after);
    }
  }
  if (left.length === 0) rmdirSync(folder);
}

function userConfigBeside({ config }: SshFiles): string {
  return join(dirname(dirname(config)), "config");
}

/** ssh takes `~` for the home folder of the user's account, whatever HOME says. */
function includeLine({ config }: SshFiles): string {
  const folder = dirname(config);
  const isUsual = folder === folderIn(userInfo().homedir);
  return `Include ${isUsual ? "~/.ssh/gpufleet" : quoted(folder)}/*${extension}`;
}

function quoted(path: string): string {
  return /\s/.test(path) ? `"${path}"` : path;
}

function linesOf(text: string): string[] {
  return text.split("\n");
}

function readIfThere(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** In one step, so that nobody ever reads half a file. A link, as of people who keep their settings elsewhere, stays one. */
function writeWhole(file: string, text: string): void {
  const existing = statSync(file, { throwIfNoEntry: false });
  const target = existing ? realpathSync(file) : file;
  const unfinished = `${target}.${randomBytes(4).toString("hex")}`;
  writeFileSync(unfinished, text.endsWith("\n") ? text : `${text}\n`, {
    mode: existing ? existing.mode & 0o777 : 0o600,
  });
  renameSync(unfinished, target);
}
