import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { faultSpec } from "../../emulator/http";
import { undocumentedOperations } from "../../provider/service";
import { run } from "../../tools/bootstrap/command";
import { root } from "../../tools/bootstrap/paths";
import { blocksOf, listPages } from "./pages";

const read = (file: string) => readFileSync(join(root, file), "utf8");
const shell = listPages()
  .flatMap(blocksOf)
  .filter(({ language }) => language === "sh");

describe("What the pages name", () => {
  test("every setting that is read stands in docs/real-accounts.md", () => {
    const source = read("provider/fronts/configuration.ts");
    const environment = [...source.matchAll(/environment\["(\w+)"\]/g)].map(([, name]) => name);
    const configuration = [...source.matchAll(/config\("(\w+)"\)/g)].map(([, key]) => `gpufleet:${key}`);
    expect(environment.length).toBeGreaterThan(3);
    const page = read("docs/real-accounts.md");
    expect([...environment, ...configuration].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  test("every fault of the emulator stands in docs/emulator.md", () => {
    const kinds = faultSpec.options.map((option) => option.shape.kind.value);
    expect(kinds.filter((kind) => !read("docs/emulator.md").includes(`| \`${kind}\` |`))).toEqual([]);
  });

  test("every undocumented operation stands in docs/undocumented-operations.md", () => {
    const page = read("docs/undocumented-operations.md");
    expect(Object.keys(undocumentedOperations).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  test("every npm script that a page tells people to run exists", () => {
    const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(read("package.json")));
    const named = listPages().flatMap(({ file, text }) =>
      [...text.matchAll(/\bnpm (?:run (?:-s )?([\w-]+)|(start|test)\b)/g)].map((found) => ({
        file,
        script: found[1] ?? found[2] ?? "",
      })),
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(({ script }) => !(script in scripts))).toEqual([]);
  });

  test("every gpufleet command in a shell block exists, with its options", async () => {
    const used = shell.flatMap(({ page, code }) =>
      [...code.replaceAll("\\\n", " ").matchAll(/\bgpufleet ([a-z-]+)([^\n|&;#]*)/g)].map(
        ([, command = "", rest = ""]) => ({
          page,
          command,
          options: rest.match(/--[a-z-]+/g) ?? [],
        }),
      ),
    );
    const commands = [...new Set(used.map(({ command }) => command))];
    const help = new Map<string, string>();
    for (const command of commands) {
      const { stdout } = await run(process.execPath, [join(root, "bin", "gpufleet"), command, "--help"], {
        output: "capture",
      });
      help.set(command, stdout);
    }
    expect(commands).toContain("emulator");
    const wrong = used.filter(({ command, options }) => {
      const text = help.get(command) ?? "";
      return !text.includes(`gpufleet ${command}`) || options.some((option) => !text.includes(option));
    });
    expect(wrong).toEqual([]);
    // A process for each.
  }, 60_000);
});
