import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Where systems keep it: often no folder of the PATH. */
const systemFolders = ["/usr/sbin", "/usr/local/sbin", "/sbin", "/opt/homebrew/sbin"];

/** The OpenSSH server of this computer; throws where there is none. */
export function findSshServer(path = process.env["PATH"] ?? ""): string {
  const candidates = [...path.split(delimiter).filter(Boolean), ...systemFolders].map((folder) => join(folder, "sshd"));
  const found = candidates.find(isExecutable);
  if (found !== undefined) return found;
  throw new Error("no OpenSSH server is installed: there is no sshd (Debian, Ubuntu: apt-get install openssh-server)");
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
