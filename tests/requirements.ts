/** What a few tests need from the machine. Where it is missing they are skipped with the reason; on CI they fail. */
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { isExecutable } from "../emulator/sshServer/programs";
import { getSshServer } from "./sshServer";

export type Requirement = "browser" | "go" | "openssl" | "postgres" | "python" | "sshd";

const needs: Record<Requirement, { found: () => string | undefined; reason: string }> = {
  browser: {
    found: () => findExecutable(["chromium", "chromium-browser", "google-chrome"]),
    reason: "needs Chromium (Debian: chromium)",
  },
  go: { found: () => findExecutable(["go"]), reason: "needs Go" },
  openssl: { found: () => findExecutable(["openssl"]), reason: "needs OpenSSL (Debian: openssl)" },
  postgres: { found: findPostgres, reason: "needs a PostgreSQL server (Debian: postgresql)" },
  sshd: { found: getSshServer, reason: "needs an OpenSSH server and client (Debian: openssh-server, openssh-client)" },
  python: { found: findPython, reason: "needs Python 3 with venv (Debian: python3-venv)" },
};

/** `describe` for tests that need something of the machine; `run` gets the path of what was found. */
export function describeWith(requirement: Requirement, name: string, run: (path: string) => void): void {
  const { found, reason } = needs[requirement];
  const path = found();
  if (path !== undefined) {
    describe(name, () => run(path));
  } else if (process.env.CI) {
    describe(name, () => {
      test(`${reason}, and CI skips nothing`, () => {
        throw new Error(`${name}: ${reason}`);
      });
    });
  } else {
    describe.skip(`${name} (skipped: ${reason})`, () => run(""));
  }
}

function findExecutable(names: string[], folders = (process.env.PATH ?? "").split(delimiter)): string | undefined {
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/** The folder of `initdb` and `postgres`: Debian keeps them out of PATH. */
function findPostgres(): string | undefined {
  const debian = "/usr/lib/postgresql";
  let versions: string[] = [];
  try {
    versions = readdirSync(debian);
  } catch {
    // Not Debian, or not installed.
  }
  const folders = [
    ...(process.env.PATH ?? "").split(delimiter),
    ...versions.map((version) => join(debian, version, "bin")),
  ];
  return folders.find((folder) => isExecutable(join(folder, "initdb")) && isExecutable(join(folder, "postgres")));
}

/** Debian's python3 comes without what a virtual environment needs. */
function findPython(): string | undefined {
  const python = findExecutable(["python3"]);
  if (python === undefined) return undefined;
  try {
    execFileSync(python, ["-c", "import venv, ensurepip"], { stdio: "ignore" });
    return python;
  } catch {
    return undefined;
  }
}
