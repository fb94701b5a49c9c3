import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import ts from "typescript";
import { root } from "../tools/bootstrap/paths";

const notOurs = /^(\.git|\.gpufleet|node_modules|coverage|sdks|dist.*)$/;

/** Everything in the checkout but what is installed, built or left behind by running. */
function listFiles(folder = root): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !notOurs.test(entry.name) && !entry.isSymbolicLink())
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? listFiles(path) : [relative(root, path)];
    });
}

const files = listFiles();
const read = (file: string) => readFileSync(join(root, file), "utf8");

test("What commands write goes through one place, which knows the keys", () => {
  const writing = /\bconsole\.(log|info|warn|error)\(|\bprocess\.std(out|err)\.write\b/;
  const commands = files.filter((file) => /^cli\/.*\.ts$/.test(file) && !file.startsWith("cli/terminal/"));
  expect(commands.filter((file) => writing.test(read(file)))).toEqual([]);
});

test("Every command that a text tells people to run names the stack: it is written by the one place that knows which", () => {
  const onStack =
    /\b(pulumi (up|refresh|destroy|preview|cancel|config)|gpufleet (ls|offers|import|recover|cost|prices|orphans|expired|watch|ssh|doctor|report))\b/;
  // Where a file comes from or what one must be is no advice.
  const isNoAdvice =
    /Written by `gpufleet |is not the output of `pulumi preview|is not an event of `pulumi preview|^gpufleet \w+: |^gpufleet watch$/;
  // Help is about any stack. `recover` writes its own options behind each command that it tells.
  const texts = files.filter(
    (file) =>
      /^cli\/.*\.ts$/.test(file) &&
      !/^cli\/commands\/\w+\/index\.ts$/.test(file) &&
      !/^cli\/commands\/(recover|completion|comment)\//.test(file),
  );
  const found = texts.flatMap((file) => {
    const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
    const offending: string[] = [];
    const visit = (node: ts.Node): void => {
      const isWriter = ts.isCallExpression(node) && /^commandLine(For)?$/.test(node.expression.getText(source));
      if (isWriter) return;
      if (
        ts.isStringLiteralLike(node) ||
        ts.isTemplateHead(node) ||
        ts.isTemplateMiddle(node) ||
        ts.isTemplateTail(node)
      ) {
        if (onStack.test(node.text) && !isNoAdvice.test(node.text)) offending.push(`${file}: ${node.text}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    return offending;
  });
  expect(found).toEqual([]);
});

describe("Imports", () => {
  /** Inside the provider each layer imports those before it. The last is `provider` itself: its index, what the stub loads. */
  const layers = ["shared", "service", "client", "lifecycle", "resources", "fronts"].map((name) => `provider/${name}`);
  const provider = [...layers, "provider"];
  /** Which parts of the product each part may import, besides itself. */
  const mayImport: Readonly<Record<string, readonly string[]>> = {
    ...Object.fromEntries(provider.map((layer, index) => [layer, provider.slice(0, index)])),
    emulator: ["provider/shared", "provider/service"],
    sdk: provider,
    cli: ["sdk", "emulator", ...provider],
    plugin: ["sdk", ...provider],
    tools: ["sdk", "emulator", "cli", ...provider],
    bench: ["tools", "sdk", "emulator", "cli", ...provider],
  };

  /** The part that a file belongs to: the innermost folder of the table. */
  function partOf(file: string): string | undefined {
    const parts = Object.keys(mayImport).filter((part) => file.startsWith(`${part}/`));
    return parts.sort((one, other) => other.length - one.length)[0];
  }

  /** Imports by relative path, dynamic ones and `require` included. */
  function importedFiles(file: string): string[] {
    return ts
      .preProcessFile(read(file), true, true)
      .importedFiles.filter(({ fileName }) => fileName.startsWith("."))
      .map(({ fileName }) => join(dirname(file), fileName))
      .map((path) =>
        [`${path}.ts`, `${path}.js`, join(path, "index.ts"), path].find((one) => existsSync(join(root, one))),
      )
      .filter((path) => path !== undefined);
  }

  const imports = new Map(
    files.filter((file) => /\.(ts|js)$/.test(file)).map((file) => [file, importedFiles(file)] as const),
  );

  function importsThat(isWrong: (file: string, imported: string) => boolean, among: readonly string[]): string[] {
    return among.flatMap((file) =>
      (imports.get(file) ?? [])
        .filter((imported) => isWrong(file, imported))
        .map((imported) => `${file} imports ${imported}`),
    );
  }

  const sources = files.filter((file) => file.endsWith(".ts") && partOf(file) !== undefined);
  const programs = files.filter((file) => /^(examples|templates)\/.*\.ts$/.test(file));

  test("are found, so that the rules below have something to hold", () => {
    expect(imports.get("provider/service/operations.ts")).toContain("provider/service/rental.ts");
  });

  test("find the module that they name: Node looks for a .json of that name before it looks for a .ts", () => {
    const isHidden = (_file: string, imported: string) =>
      imported.endsWith(".ts") && files.includes(imported.replace(/\.ts$/, ".json"));
    expect(importsThat(isHidden, [...imports.keys()])).toEqual([]);
  });

  test("go one way", () => {
    const isForbidden = (file: string, imported: string) =>
      partOf(imported) !== partOf(file) && !mayImport[partOf(file) ?? ""]?.includes(partOf(imported) ?? "");
    expect(importsThat(isForbidden, sources)).toEqual([]);
  });

  test("never go in a circle, not even of types and not even inside a room", () => {
    const settled = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: readonly string[]) => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(" → "));
      if (settled.has(file) || path.includes(file)) return;
      for (const imported of imports.get(file) ?? []) visit(imported, [...path, file]);
      settled.add(file);
    };
    for (const file of imports.keys()) visit(file, []);
    expect(circles).toEqual([]);
  });

  test("enter a room by its index, but for provider/shared, which is for everybody", () => {
    const rooms = [...new Set(sources.map(dirname))].filter(
      (folder) => files.includes(join(folder, "index.ts")) && !["provider", "provider/shared"].includes(folder),
    );
    /** The outermost room that holds what is imported and not the one who imports it. */
    const roomEntered = (file: string, imported: string) =>
      rooms
        .filter((room) => imported.startsWith(`${room}/`) && !file.startsWith(`${room}/`))
        .sort((one, other) => one.length - other.length)[0];
    /** Rooms within rooms that are entries of their own: what is behind them is not loaded with the rest. */
    const doors = ["provider/fronts/plugin", "sdk/functions", "sdk/native"].map((room) => join(room, "index.ts"));
    const isPastIndex = (file: string, imported: string) => {
      const room = roomEntered(file, imported);
      return room !== undefined && imported !== join(room, "index.ts") && !doors.includes(imported);
    };
    expect(importsThat(isPastIndex, sources)).toEqual([]);
  });

  test("of tests are made by tests alone", () => {
    const others = [...imports.keys()].filter((file) => !file.startsWith("tests/"));
    expect(importsThat((_, imported) => imported.startsWith("tests/"), others)).toEqual([]);
  });

  test("reach the package by its name from examples and templates", () => {
    expect(importsThat((_, imported) => !/^(examples|templates)\//.test(imported), programs)).toEqual([]);
  });
});

describe("A resource", () => {
  /** The gate of a fleet is not for programs to make. */
  const internal = ["fleet"];
  const registry = "provider/resources/definedResources.ts";
  const names = files
    .filter((file) => /^provider\/resources\/\w+\/resource\.ts$/.test(file))
    .map((file) => basename(dirname(file)))
    .filter((name) => !internal.includes(name));
  const sdk = files.filter((file) => /^sdk\/.*\.ts$/.test(file));

  function missingFor(name: string): string[] {
    const title = name.charAt(0).toUpperCase() + name.slice(1);
    const dashed = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const parts = {
      [`an import in ${registry}`]: read(registry).includes(`/${name}"`),
      [`class ${title} in sdk/`]: sdk.some((file) => new RegExp(`\\bclass ${title}\\b`).test(read(file))),
      [`tests/…/${name}.test.ts`]: files.some(
        (file) => file.startsWith("tests/") && basename(file) === `${name}.test.ts`,
      ),
      [`examples/${dashed}/`]: files.includes(`examples/${dashed}/Pulumi.yaml`),
      [`docs/${dashed}.md`]: files.includes(`docs/${dashed}.md`),
      [`a link to ${dashed}.md in docs/index.md`]: read("docs/index.md").includes(`(${dashed}.md)`),
    };
    return Object.keys(parts).filter((part) => !parts[part]);
  }

  test("is registered, and comes with a class, a test, an example and a page", () => {
    expect(names).not.toEqual([]);
    expect(names.flatMap((name) => missingFor(name).map((part) => `${name}: ${part}`))).toEqual([]);
  });
});

describe("What is committed", () => {
  const texts = files.filter((file) => !/\.(png|mp3|ico|tgz)$/.test(file));

  test("names no package registry", () => {
    const host = /registry\.(npmjs|yarnpkg)\.|(proxy|sum)\.golang\.org|files\.pythonhosted\.org|pypi\.org\/simple/;
    expect(texts.filter((file) => host.test(read(file)))).toEqual([]);
    expect(read("package-lock.json")).not.toMatch(/"resolved": "[^"]/);
  });

  test("locks the packages of every platform, without which npm ci refuses to install", () => {
    const { packages }: { packages: Record<string, { optionalDependencies?: object }> } = JSON.parse(
      read("package-lock.json"),
    );
    const locked = new Set(Object.keys(packages).map((location) => location.split("node_modules/").at(-1)));
    const wanted = Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
    expect(wanted).not.toEqual([]);
    expect(wanted.filter((name) => !locked.has(name))).toEqual([]);
  });

  test("names no path of the machine it was written on", () => {
    // A path of one segment, like /root or /app, is as likely to be meant for another machine.
    const paths = [root, homedir()].filter((path) => path.split("/").length > 2);
    expect(texts.filter((file) => paths.some((path) => read(file).includes(`${path}/`)))).toEqual([]);
  });
});
