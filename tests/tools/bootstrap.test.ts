import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { root } from "../../tools/bootstrap/paths";

/** Sources below a folder of the checkout. */
function sourcesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(js|ts)$/.test(file) && !file.includes("node_modules"))
    .map((file) => join(folder, file));
}

function importsOf(file: string): string[] {
  return ts
    .preProcessFile(readFileSync(join(root, file), "utf8"), true, true)
    .importedFiles.map(({ fileName }) => fileName);
}

describe("What runs before anything is installed", () => {
  const bootstrap = sourcesIn("tools/bootstrap");

  test("is plain JavaScript", () => {
    expect(bootstrap.length).toBeGreaterThan(10);
    expect(bootstrap.filter((file) => !file.endsWith(".js"))).toEqual([]);
  });

  test("needs no package, except to load TypeScript and to bundle what is started often, and nothing that is not beside it", () => {
    const needed = bootstrap.flatMap((file) =>
      importsOf(file)
        .filter((name) => !name.startsWith("node:"))
        .map((name) => (name.startsWith(".") ? relative(root, join(root, dirname(file), name)) : name))
        .filter((name) => !name.startsWith("tools/bootstrap/"))
        .map((name) => `${file} needs ${name}`),
    );
    expect(needed).toEqual(["tools/bootstrap/bundles.js needs esbuild", "tools/bootstrap/typescript.js needs ts-node"]);
  });
});

test("Nothing outside tests imports from tests", () => {
  const outside = ["bench", "cli", "emulator", "examples", "provider", "sdk", "templates", "tools"].flatMap(sourcesIn);
  const wrong = outside.filter((file) => importsOf(file).some((name) => /^(\.\.\/)+tests\//.test(name)));
  expect(wrong).toEqual([]);
});

describe("The launcher of tools in TypeScript", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "gpufleet-launcher-test-"));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function launch(source: string, ...args: string[]) {
    const file = join(folder, "tool.ts");
    writeFileSync(file, source);
    const { status, stdout, stderr } = spawnSync(process.execPath, ["tools/bootstrap/run.js", file, ...args], {
      cwd: root,
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  }

  test("hands over the arguments and exits with the code that the tool returns", () => {
    const source = `export async function main(args: string[]): Promise<number> { console.log(args.join("|")); return 3; }`;
    expect(launch(source, "--one", "two words")).toEqual({ status: 3, stdout: "--one|two words\n", stderr: "" });
  });

  test("shows an unknown option without a stack trace", () => {
    const source = `import { parseArgs } from "node:util"; export const main = async (args: string[]) => void parseArgs({ args });`;
    expect(launch(source, "--bogus")).toEqual({ status: 1, stdout: "", stderr: "\nUnknown option '--bogus'\n" });
  });

  test("says how it is used where no file is named", () => {
    const { status, stderr } = spawnSync(process.execPath, ["tools/bootstrap/run.js"], { cwd: root, encoding: "utf8" });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: "\nUsage: node tools/bootstrap/run.js FILE.ts [ARGUMENT…]\n",
    });
  });
});
