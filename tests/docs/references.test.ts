import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, extname, join, relative } from "node:path";
import { root } from "../../tools/bootstrap/paths";

/** Installed, built, left behind by running, or recorded. */
const notWritten = /^(\.git|\.gpufleet|node_modules|coverage|sdks|dist.*|golden|states)$/;
/** What has changed names files as they were then. */
const history = "CHANGELOG.md";
const topFolders = "bench|bin|cli|docs|emulator|examples|provider|sdk|templates|tests|tools";

function listFiles(folder = root): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !notWritten.test(entry.name) && !entry.isSymbolicLink())
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? listFiles(path) : [relative(root, path)];
    });
}

/** The parts of a file that are written for people: prose without its code blocks, or the comments of a program. */
function proseOf(file: string, text: string): string[] {
  switch (extname(file)) {
    case ".md":
      return [text.replaceAll(/^```.*?^```$/gms, "")];
    case ".ts":
    case ".js":
      return text.match(/(?<=^|\s)(\/\*.*?\*\/|\/\/[^\n]*)/gs) ?? [];
    case ".yml":
    case ".yaml":
    case ".sh":
      return text.match(/(?<=^|\s)#[^\n]*/g) ?? [];
    default:
      return [];
  }
}

/** `faults.md`, `docs/internals/faults.md`, `../README.md`; no patterns and no places with a variable part. */
const page = /(?<![\w./*$}>…-])(?:[\w.-]+\/)*[\w-]+\.md\b/g;
/** `provider/service`, `tools/engine/pins.js`, but not `pulumi-gpufleet/provider` nor `tests/…/x`. */
const path = new RegExp(`(?<![\\w./@*$}>…-])(?:${topFolders})/[\\w./-]*\\w(?![\\w*{$…])`, "g");

function mentionsIn(file: string, text: string): string[] {
  return proseOf(file, text).flatMap((prose) => [...(prose.match(page) ?? []), ...(prose.match(path) ?? [])]);
}

function exists(file: string, mentioned: string): boolean {
  const places = [root, join(root, "docs"), join(root, dirname(file))];
  return places.some((place) =>
    ["", ".ts", ".js", ".test.ts"].some((ending) => existsSync(join(place, mentioned + ending))),
  );
}

function deadMentions(file: string, text: string): string[] {
  return [...new Set(mentionsIn(file, text))].filter((mentioned) => !exists(file, mentioned));
}

describe("A page or comment that names a file of the repository", () => {
  test.each([
    ["a page in a comment", "tests/x.ts", "/** As in facts.md. */", ["facts.md"]],
    [
      "a path in a comment at the end of a line",
      "cli/x.ts",
      "run(); // see provider/gone/x.ts",
      ["provider/gone/x.ts"],
    ],
    ["a page in prose", "docs/x.md", "More in `docs/gone.md`.", ["docs/gone.md"]],
    ["a path in a workflow", ".github/x.yml", "# as in tools/gone.js\nrun: x", ["tools/gone.js"]],
  ])("is noticed when there is no such file: %s", (_, file, text, dead) => {
    expect(deadMentions(file, text)).toEqual(dead);
  });

  test.each([
    ["a file in the same folder", "docs/internals/x.md", "See faults.md."],
    ["a page of the docs", "provider/x.ts", "// docs/reliability.md, reliability.md"],
    ["a module without its ending", "sdk/x.ts", "// as in provider/index and provider/service"],
    ["the name of an export", "docs/x.md", "`pulumi-gpufleet/provider`"],
    ["a variable part", "docs/x.md", "docs/<name>.md, tests/…/x.test.ts and examples/*/README.md"],
    ["what a program writes", "tools/x.ts", 'write("report.md");'],
    ["a code block", "docs/x.md", "```sh\ncat report.md\n```"],
  ])("is left alone where that is right: %s", (_, file, text) => {
    expect(deadMentions(file, text)).toEqual([]);
  });

  test("names one that is there", () => {
    const files = listFiles().filter((file) => file !== history);
    const dead = files.flatMap((file) =>
      // The cases above name files that must not exist.
      file === relative(root, __filename)
        ? []
        : deadMentions(file, readFileSync(join(root, file), "utf8")).map((mentioned) => `${file}: ${mentioned}`),
    );
    expect(dead).toEqual([]);
  });
});
