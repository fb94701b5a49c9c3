/** Writes what an example has besides its program: project, package and README, all from the comment at the program's top. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { ToolError } from "../bootstrap/command";
import { root } from "../bootstrap/paths";
import { block, header, table } from "./markdown";

/** What the comment says: a title, one sentence, and more for the README, each a paragraph of its own. */
export interface Example {
  /** The folder: `vm-rental` */
  name: string;
  title: string;
  description: string;
  /** The rest of the README, as written; with a shell block in it where the usual commands will not do. */
  details: string;
  /** The program without the comment. */
  program: string;
  /** Whether it is run by itself, and has no Pulumi project. */
  isScript: boolean;
  /** Whether `index.test.ts` is beside it. */
  hasTests: boolean;
}

const usualCommands = block("sh", "pulumi stack init dev\npulumi up\npulumi destroy");

const tsconfig = `{
  "compilerOptions": {
    "target": "ES2022",
    "module": "Node16",
    "moduleResolution": "Node16",
    "strict": true,
    "esModuleInterop": true,
    "skipLibCheck": true
  },
  "ts-node": { "transpileOnly": true }
}
`;

/** The examples in TypeScript. */
export function listExamples(): string[] {
  return foldersOfExamples().filter((name) => !isInOtherLanguage(name));
}

/** Those in other languages of Pulumi, with the sentence that describes each: their files are all written by hand. */
export function listExamplesInOtherLanguages(): Pick<Example, "name" | "description">[] {
  return foldersOfExamples()
    .filter(isInOtherLanguage)
    .map((name) => ({ name, description: projectOf(name).description }));
}

function foldersOfExamples(): string[] {
  return readdirSync(join(root, "examples"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

function isInOtherLanguage(name: string): boolean {
  return existsSync(join(root, "examples", name, "Pulumi.yaml")) && projectOf(name).runtime !== "nodejs";
}

const project = z.object({ description: z.string(), runtime: z.string() });

function projectOf(name: string): z.infer<typeof project> {
  return project.parse(parse(readFileSync(join(root, "examples", name, "Pulumi.yaml"), "utf8")));
}

const nativeProgram = z.object({ resources: z.record(z.string(), z.looseObject({ type: z.string() })) });

/** The resource of a type in the example in YAML, as it stands there; undefined where it has none of that type. */
export function readNativeResource(type: string): string | undefined {
  const { resources } = nativeProgram.parse(
    parse(readFileSync(join(root, "examples/native-yaml/Pulumi.yaml"), "utf8")),
  );
  const found = Object.entries(resources).find(([, resource]) => resource.type === `gpufleet:${type}`);
  return found && stringify({ resources: Object.fromEntries([found]) });
}

/** Throws a sentence that says what is missing. */
export function readExample(name: string): Example {
  const file = `examples/${name}/index.ts`;
  if (!existsSync(join(root, file))) throw new ToolError(`${file} is missing`);
  const hasTests = existsSync(join(root, `examples/${name}/index.test.ts`));
  return parseExample(name, readFileSync(join(root, file), "utf8"), hasTests);
}

export function parseExample(name: string, text: string, hasTests = false): Example {
  const [, comment = "", program = ""] = /^\/\*\*\n(.*?)\n \*\/\n\n(.*)$/s.exec(text) ?? [];
  const [title = "", description = "", ...details] = comment.replaceAll(/^ \* ?/gm, "").split("\n\n");
  if (title === "" || !/^[^\n]+\.$/.test(description)) {
    throw new ToolError(
      `examples/${name}/index.ts must begin with a comment that holds a title, an empty line and one sentence on one line: its README and Pulumi.yaml are written from it`,
    );
  }
  const isScript = program.includes('"@pulumi/pulumi/automation"');
  return { name, title, description, details: details.join("\n\n"), program, isScript, hasTests };
}

/** The files of an example. `resource` is the class that it shows, where the folder is called like one. */
export function writeExample(example: Example, resource: string | undefined): [string, string][] {
  const file = (name: string, text: string): [string, string] => [`examples/${example.name}/${name}`, text];
  return [
    ...(example.isScript ? [] : [file("Pulumi.yaml", writeProject(example))]),
    file("package.json", writePackage(example)),
    file("tsconfig.json", tsconfig),
    file("README.md", writeReadme(example, resource)),
  ];
}

function writeProject({ name, description }: Example): string {
  return stringify({ name, description, runtime: "nodejs", options: { refresh: "always" } }, { lineWidth: 0 });
}

function writePackage({ name, isScript, hasTests }: Example): string {
  const scripts = {
    ...(isScript && { start: "node --require ts-node/register index.ts" }),
    ...(hasTests && { test: "node --require ts-node/register index.test.ts" }),
  };
  const described = {
    name: `gpufleet-example-${name}`,
    private: true,
    ...(!isScript && { main: "index.ts" }),
    ...(Object.keys(scripts).length > 0 && { scripts }),
    dependencies: { "@pulumi/pulumi": "^3.139.0", "pulumi-gpufleet": "*" },
    devDependencies: {
      "@types/node": "^20.19.0",
      ...(Object.keys(scripts).length > 0 && { "ts-node": "^10.9.2" }),
      typescript: "^5.9.3",
    },
  };
  return `${JSON.stringify(described, null, 2)}\n`;
}

function writeReadme({ name, title, description, details }: Example, resource: string | undefined): string {
  const parts = [
    `# ${title}`,
    description,
    details,
    details.includes("```sh") ? "" : usualCommands.trimEnd(),
    resource ? `All inputs and outputs: [${resource}](../../docs/${name}.md).` : "",
  ];
  return `${header("the comment in `index.ts`")}${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** The fleet of `npm start` first, then one per resource, then the rest. */
export function writeExamplesTable(
  examples: readonly Pick<Example, "name" | "description">[],
  resources: readonly string[],
): string {
  const order = ["fleet", ...resources];
  const rank = ({ name }: { name: string }) => (order.includes(name) ? order.indexOf(name) : order.length);
  const sorted = [...examples].sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name));
  return table(
    ["example", ""],
    sorted.map(({ name, description }) => [`[${name}](${name}/README.md)`, description]),
  );
}
