import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { dependenciesAreInstalled, type LockedPackage } from "../../tools/bootstrap/dependencies";

const zod = { "node_modules/zod": { version: "4.6.7", integrity: "sha512-a" } };
const hono = { "node_modules/hono": { version: "30.5.2", integrity: "sha512-b" } };

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gpufleet-dependencies-test-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function writeLock(file: string, packages: Record<string, LockedPackage>): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), JSON.stringify({ packages }));
}

const lock = (packages: Record<string, LockedPackage>) => writeLock("package-lock.json", { "": {}, ...packages });

/** As npm leaves it: the packages' folders, and its record of them. */
function install(packages: Record<string, LockedPackage>): void {
  for (const location of Object.keys(packages)) mkdirSync(join(folder, location), { recursive: true });
  writeLock("node_modules/.package-lock.json", packages);
}

describe("Dependencies count as installed", () => {
  test("when each is there in the locked version", () => {
    lock({ ...zod, ...hono });
    install({ ...zod, ...hono });
    expect(dependenciesAreInstalled(folder)).toBe(true);
  });

  test("when those that are missing are for other platforms", () => {
    lock({ ...zod, "node_modules/watcher-win32": { version: "1.0.0", optional: true } });
    install(zod);
    expect(dependenciesAreInstalled(folder)).toBe(true);
  });
});

describe("Dependencies do not count as installed", () => {
  test("when npm has not finished, and so left no record", () => {
    lock(zod);
    mkdirSync(join(folder, "node_modules", "zod"), { recursive: true });
    expect(dependenciesAreInstalled(folder)).toBe(false);
  });

  test("when one is missing", () => {
    lock({ ...zod, ...hono });
    install(zod);
    expect(dependenciesAreInstalled(folder)).toBe(false);
  });

  test("when one has another version, or the same version with other contents", () => {
    lock(zod);
    install({ "node_modules/zod": { version: "4.6.6", integrity: "sha512-a" } });
    expect(dependenciesAreInstalled(folder)).toBe(false);
    install({ "node_modules/zod": { version: "4.6.7", integrity: "sha512-c" } });
    expect(dependenciesAreInstalled(folder)).toBe(false);
  });

  test("when there is one that the lock does not have", () => {
    lock(zod);
    install({ ...zod, ...hono });
    expect(dependenciesAreInstalled(folder)).toBe(false);
  });

  test("when somebody has deleted the folder of one", () => {
    lock(zod);
    install(zod);
    rmSync(join(folder, "node_modules", "zod"), { recursive: true });
    expect(dependenciesAreInstalled(folder)).toBe(false);
  });
});
