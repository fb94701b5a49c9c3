import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const publicKey = /^(ssh|ecdsa|sk-ssh|sk-ecdsa)-\S+ \S+/;

/** The keys that open the machines: of the given file, else those of `~/.ssh` and of the ssh agent. Throws where there are none. */
export function findPublicKeys(file: string | undefined, folder = join(homedir(), ".ssh")): string[] {
  if (file !== undefined) return keysOfFile(file);
  const keys = [...new Set([...keysOfFolder(folder), ...keysOfAgent()])];
  if (keys.length > 0) return keys;
  throw new Error(
    `no public key: there is no *.pub in ${folder}, and no ssh agent has one. Make one with \`ssh-keygen\`, or name one with --ssh-key`,
  );
}

/** The public key, also where its private part is named. */
function keysOfFile(file: string): string[] {
  const keys = [file, `${file}.pub`].map((candidate) => keysIn(readIfThere(candidate)));
  const found = keys.find((each) => each.length > 0);
  if (found) return found;
  throw new Error(`there is no public key in ${file} or ${file}.pub`);
}

function keysOfFolder(folder: string): string[] {
  let names: string[] = [];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith(".pub"));
  } catch {
    // Nobody has made a key yet.
  }
  return names.sort().flatMap((name) => keysIn(readIfThere(join(folder, name))));
}

function keysOfAgent(): string[] {
  try {
    return keysIn(execFileSync("ssh-add", ["-L"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  } catch {
    return [];
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function keysIn(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => publicKey.test(line));
}
