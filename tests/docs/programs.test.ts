import { dirname, join } from "node:path";
import ts from "typescript";
import { root } from "../../tools/bootstrap/paths";
import { blocksOf, listPages, listPrograms } from "./pages";

jest.setTimeout(120_000);

/** Programs of the pages, as files that are only there for the compiler. */
const blocks = new Map(
  listPages()
    .flatMap(blocksOf)
    .filter(({ language }) => language === "ts")
    .map(({ page, line, code }) => [join(root, `${page.replaceAll(/\W/g, "_")}_line_${line}.ts`), code]),
);

/** One run of the compiler over everything, with the sources in the place of the package. */
function typeCheck(): string[] {
  const { config } = ts.readConfigFile(join(root, "tsconfig.check.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (file) => blocks.has(file) || fileExists(file);
  host.getSourceFile = (file, version, ...rest) => {
    const code = blocks.get(file);
    return code === undefined
      ? getSourceFile(file, version, ...rest)
      : ts.createSourceFile(file, `${code}\nexport {};\n`, version);
  };
  const programs = listPrograms().map((file) => join(root, file));
  const program = ts.createProgram([...blocks.keys(), ...programs], options, host);
  const checked = [...blocks.keys(), ...programs].flatMap((file) => program.getSourceFile(file) ?? []);
  return checked
    .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
    .map((problem) => ts.formatDiagnostic(problem, { ...host, getCurrentDirectory: () => dirname(root) }));
}

test("There are programs in the README, the docs and the examples", () => {
  expect([...blocks.keys()].some((file) => file.includes("README_md"))).toBe(true);
  expect(blocks.size).toBeGreaterThan(5);
  expect(listPrograms()).toContain("templates/gpu-fleet/index.ts");
});

test("Every program of the pages, the examples and the template compiles", () => {
  expect(typeCheck()).toEqual([]);
});
