import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getEngine } from "../../tools/bootstrap/engine/engine";
import { cacheKey, EXECUTABLES, VERSION } from "../../tools/bootstrap/engine/pins";
import { root } from "../../tools/bootstrap/paths";

let folder: string;
let cache: string;
let said: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gpufleet-engine-test-"));
  cache = join(folder, "cache");
  said = [];
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function engine({ path, canDownload = false }: { path: string[]; canDownload?: boolean }): Promise<string> {
  return getEngine({
    env: { PATH: path.join(":"), GPUFLEET_ENGINE_CACHE: cache, HOME: folder },
    say: (text) => said.push(text),
    stream: { write: () => undefined },
    canDownload: async () => canDownload,
  });
}

function makeExecutable(file: string, script: string): void {
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

function install(name: string, version: string, executables: readonly string[] = EXECUTABLES): string {
  const place = join(folder, name);
  for (const executable of executables) makeExecutable(join(place, executable), `echo v${version}`);
  return place;
}

/** A `go` that "builds" a script which prints the version, of two packages. */
function installGo({ version = VERSION, fails = false } = {}): string {
  const script = fails
    ? 'echo "go: downloading example.com/module v1.0.0" >&2; echo "no such host" >&2; exit 1'
    : `if [ "$1" = list ]; then echo example.com/one; echo example.com/two; exit 0; fi
       echo example.com/one >&2
       while [ "$1" != "-o" ]; do shift; done; printf '#!/bin/sh\\necho v${version}\\n' > "$2"; /bin/chmod +x "$2"`;
  makeExecutable(join(folder, "go", "go"), script);
  return join(folder, "go");
}

function listCache(): string[] {
  return existsSync(cache) ? readdirSync(cache) : [];
}

describe("An engine on PATH", () => {
  test("is preferred to the cached one", async () => {
    install(`cache/${cacheKey()}`, VERSION);
    const installed = install("installed", "3.200.0");
    expect(await engine({ path: [installed] })).toBe(installed);
    expect(said).toEqual([]);
  });

  test("is skipped with the reason when it is too old", async () => {
    const cached = install(`cache/${cacheKey()}`, VERSION);
    const old = install("old", "3.159.0");
    expect(await engine({ path: [old] })).toBe(cached);
    expect(said).toEqual([`skipping ${old}/pulumi: version 3.159.0 is older than 3.160.0`]);
  });

  test("gives way to a newer one further along", async () => {
    const paths = [install("old", "2.25.0"), install("new", "4.0.0")];
    expect(await engine({ path: paths })).toBe(join(folder, "new"));
  });

  test("is skipped with the reason when it does not say its version", async () => {
    const cached = install(`cache/${cacheKey()}`, VERSION);
    const broken = join(folder, "broken");
    makeExecutable(join(broken, "pulumi"), "exit 3");
    expect(await engine({ path: [broken] })).toBe(cached);
    expect(said).toEqual([`skipping ${broken}/pulumi: \`pulumi version\` printed no version`]);
  });

  test("is skipped with the reason when the language host is nowhere", async () => {
    const cached = install(`cache/${cacheKey()}`, VERSION);
    const alone = install("alone", "3.200.0", ["pulumi"]);
    expect(await engine({ path: [alone] })).toBe(cached);
    expect(said).toEqual([`skipping ${alone}/pulumi: no pulumi-language-nodejs beside it or on PATH`]);
  });

  test("is joined in one folder with parts that lie elsewhere on PATH", async () => {
    const [pulumi, rest] = [
      install("pulumi-alone", "3.200.0", ["pulumi"]),
      install("rest", "3.200.0", EXECUTABLES.slice(1)),
    ];
    const joined = await engine({ path: [pulumi, rest] });
    expect(readdirSync(joined).sort()).toEqual([...EXECUTABLES].sort());
    expect(realpathSync(join(joined, "pulumi"))).toBe(realpathSync(join(pulumi, "pulumi")));
    expect(await engine({ path: [pulumi, rest] })).toBe(joined);
  });
});

describe("A cached engine", () => {
  test("is found without a word", async () => {
    const cached = install(`cache/${cacheKey()}`, VERSION);
    expect(await engine({ path: [] })).toBe(cached);
    expect(said).toEqual([]);
  });

  test("is not one whose build was never finished", async () => {
    install(`cache/.unfinished-${cacheKey()}-1-aaaa`, VERSION);
    await expect(engine({ path: [] })).rejects.toThrow("No Pulumi engine found");
  });

  test("is not one that lacks an executable, which a new build replaces", async () => {
    install(`cache/${cacheKey()}`, "0.0.1", EXECUTABLES.slice(0, 2));
    const built = await engine({ path: [installGo()] });
    expect(readdirSync(built).sort()).toEqual([...EXECUTABLES].sort());
    expect(execFileSync(join(built, "pulumi"), { encoding: "utf8" })).toBe(`v${VERSION}\n`);
  });

  test("of other pins is left alone", async () => {
    install("cache/3.1.0-linux-x64-000000000000", "3.1.0");
    expect(await engine({ path: [installGo()] })).toBe(join(cache, cacheKey()));
    expect(listCache()).toHaveLength(2);
  });
});

describe("A build with Go", () => {
  test("appears in the cache whole, and says what happens and how long it takes", async () => {
    const built = await engine({ path: [installGo()] });
    expect(built).toBe(join(cache, cacheKey()));
    expect(listCache()).toEqual([cacheKey()]);
    expect(said).toEqual([
      `building Pulumi ${VERSION} from source with Go; about 6 minutes on two cores, once per machine`,
      expect.stringMatching(/^53% {2}building pulumi, package 1 of 2, \d+ s$/),
      expect.stringMatching(/^92% {2}looking what pulumi-language-nodejs needs, \d+ s$/),
      expect.stringMatching(/^100% {2}done, \d+ s$/),
      expect.stringMatching(/^ready after \d+ s, cached in /),
    ]);
  });

  test("that fails leaves nothing, and tells why and what to do instead", async () => {
    await expect(engine({ path: [installGo({ fails: true })] })).rejects.toThrow(
      [
        "Building pulumi with Go failed:",
        "  no such host",
        "Or install Pulumi yourself and try again:",
        "  curl -fsSL https://get.pulumi.com | sh",
      ].join("\n"),
    );
    expect(listCache()).toEqual([]);
  });

  test("that gives another version than the pinned one is not used", async () => {
    await expect(engine({ path: [installGo({ version: "1.2.3" })] })).rejects.toThrow(
      "The new Pulumi reports version 1.2.3 instead of",
    );
    expect(listCache()).toEqual([]);
  });

  test("is not disturbed by another at the same time", async () => {
    const path = [installGo()];
    const folders = await Promise.all([engine({ path }), engine({ path }), engine({ path })]);
    expect(new Set(folders)).toEqual(new Set([join(cache, cacheKey())]));
    expect(listCache()).toEqual([cacheKey()]);
  });

  test("removes what builds killed more than a day ago have left, and nothing younger", async () => {
    const [abandoned, running] = [install("cache/.unfinished-a", VERSION), install("cache/.unfinished-b", VERSION)];
    const twoDaysAgo = Date.now() / 1000 - 2 * 24 * 60 * 60;
    utimesSync(abandoned, twoDaysAgo, twoDaysAgo);
    await engine({ path: [installGo()] });
    expect(existsSync(abandoned)).toBe(false);
    expect(existsSync(running)).toBe(true);
  });
});

describe("The official installer", () => {
  test("is used before a build where its downloads can be reached", async () => {
    const release = install("release", VERSION);
    makeExecutable(
      join(folder, "npm", "npm"),
      `/bin/mkdir -p "$PULUMI_HOME/versions/${VERSION}" && /bin/cp -r ${release} "$PULUMI_HOME/versions/${VERSION}/bin"`,
    );
    const got = await engine({ path: [join(folder, "npm"), installGo({ fails: true })], canDownload: true });
    expect(readdirSync(got).sort()).toEqual([...EXECUTABLES].sort());
  });

  test("gives way to a build when it fails", async () => {
    makeExecutable(join(folder, "npm", "npm"), 'echo "pulumi: HTTP 503" >&2; exit 1');
    expect(await engine({ path: [join(folder, "npm"), installGo()], canDownload: true })).toBe(join(cache, cacheKey()));
    expect(said).toContain("the official installer did not succeed: pulumi: HTTP 503");
  });
});

describe("A machine where none can be found or made", () => {
  test("gets one clear error that names the official install command", async () => {
    await expect(engine({ path: [] })).rejects.toThrow(
      [
        "No Pulumi engine found: none is on PATH, its download host cannot be reached, and there is no Go to build one.",
        "Install Pulumi and try again:",
        "  curl -fsSL https://get.pulumi.com | sh",
      ].join("\n"),
    );
  });
});

describe("npm run -s engine", () => {
  test("prints the folder and nothing else on standard output", () => {
    const cached = install(`cache/${cacheKey()}`, VERSION);
    const old = install("old", "3.0.0");
    const printed = execFileSync(process.execPath, [join(root, "tools", "bootstrap", "printEngine.js")], {
      env: { PATH: old, GPUFLEET_ENGINE_CACHE: cache },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    expect(printed).toBe(`${cached}\n`);
  });
});
