/** A PostgreSQL server of its own, on a socket in a temporary folder: no port, no password, nothing of it left behind. */
import { type ExecFileSyncOptions, execFileSync } from "node:child_process";
import { chownSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface Postgres {
  /** As Pulumi takes it for its state. */
  readonly url: string;
  query(sql: string): string;
  stop(): void;
}

const USER = "team";
const DATABASE = "pulumi";

/** @param found a folder with the server's programs, or with links to them */
export function startPostgres(found: string): Postgres {
  const bin = dirname(realpathSync(join(found, "initdb")));
  const folder = mkdtempSync(join(tmpdir(), "gpufleet-postgres-"));
  const owner = ownerOfServer();
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid ?? owner.uid);
  const data = join(folder, "data");
  const execute = (program: string, args: string[], options: ExecFileSyncOptions = {}) =>
    execFileSync(join(bin, program), args, { cwd: folder, stdio: "ignore", ...owner, ...options });

  execute("initdb", ["-D", data, "-U", USER, "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]);
  const settings = `-k ${folder} -c listen_addresses='' -c fsync=off`;
  execute("pg_ctl", ["-D", data, "-w", "-l", join(folder, "log"), "-o", settings, "start"]);
  const stop = () => {
    execute("pg_ctl", ["-D", data, "-w", "-m", "immediate", "stop"]);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    execute("createdb", ["-h", folder, "-U", USER, DATABASE]);
  } catch (error) {
    stop();
    throw error;
  }
  return {
    url: `postgres://${USER}@/${DATABASE}?host=${encodeURIComponent(folder)}&sslmode=disable`,
    query: (sql) =>
      execute("psql", ["-h", folder, "-U", USER, "-d", DATABASE, "-tAc", sql], {
        stdio: ["ignore", "pipe", "inherit"],
      })
        .toString()
        .trim(),
    stop,
  };
}

/** The server refuses to run as root: Debian has a user for it. */
function ownerOfServer(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}
