/**
 * An OpenSSH server for tests: the installed one, else that of Debian's package, unpacked into the cache folder without being installed.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { findSshServer } from "../emulator/sshServer";

const packages = ["openssh-server", "openssh-sftp-server", "libwrap0", "libnss-wrapper"];

/** As root, sshd wants a user of its own, which an installation would have made: then it is shown one that is not there. */
const wrapper = `#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
libraries=$(echo "$here"/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH="$libraries"
if [ "$(id -u)" = 0 ] && ! id sshd >/dev/null 2>&1; then
  { cat /etc/passwd; echo "sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin"; } >"$here/passwd.$$" && mv "$here/passwd.$$" "$here/passwd"
  export LD_PRELOAD="$libraries/libnss_wrapper.so" NSS_WRAPPER_PASSWD="$here/passwd" NSS_WRAPPER_GROUP=/etc/group
fi
exec "$here/usr/sbin/sshd" "$@"
`;

/** The path of a server that works here; undefined where none is to be had, or there is no client. */
export function getSshServer(): string | undefined {
  if (spawnSync("ssh", ["-V"]).error) return undefined;
  try {
    return findSshServer();
  } catch {
    return unpacked();
  }
}

function unpacked(): string | undefined {
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "pulumi-gpufleet");
  const folder = join(cache, "openssh-server");
  const program = join(folder, "sshd");
  if (existsSync(program)) return program;
  mkdirSync(cache, { recursive: true });
  const unfinished = mkdtempSync(join(cache, "openssh-server-unfinished-"));
  try {
    execFileSync("apt-get", ["download", ...packages], { cwd: unfinished, stdio: "ignore", timeout: 60_000 });
    for (const file of readdirSync(unfinished).filter((name) => name.endsWith(".deb"))) {
      execFileSync("dpkg-deb", ["-x", file, "."], { cwd: unfinished });
      rmSync(join(unfinished, file));
    }
    writeFileSync(join(unfinished, "sshd"), wrapper);
    chmodSync(join(unfinished, "sshd"), 0o755);
    // It knows no such option, and says which version it is.
    const { stderr } = spawnSync(join(unfinished, "sshd"), ["-?"], { encoding: "utf8" });
    if (!/OpenSSH_/.test(stderr)) return undefined;
    renameSync(unfinished, folder);
    return program;
  } catch {
    // Not Debian, or no package archive answers; or another test file was quicker.
    return existsSync(program) ? program : undefined;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}
