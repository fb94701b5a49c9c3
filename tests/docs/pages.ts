/** The pages that people read: everything in Markdown. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "../../tools/bootstrap/paths";

export interface Page {
  /** Relative to the folder. */
  readonly file: string;
  readonly text: string;
}

export interface Block {
  readonly page: string;
  /** On which it begins. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

const folders = ["docs", "examples", "templates"];
const single = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"];

/** @param place a checkout, or the package as it is installed */
export function listPages(place = root): Page[] {
  const below = folders.flatMap((folder) =>
    readdirSync(join(place, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".md") && !file.includes("node_modules"))
      .map((file) => join(folder, file)),
  );
  return [...single, ...below.sort()].map((file) => ({ file, text: readFileSync(join(place, file), "utf8") }));
}

/** The fenced blocks of a page. */
export function blocksOf({ file, text }: Page): Block[] {
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map((found) => ({
    page: file,
    line: text.slice(0, found.index).split("\n").length,
    language: found[1] ?? "",
    code: found[2] ?? "",
  }));
}

/** Programs of examples and templates, relative to the checkout. */
export function listPrograms(): string[] {
  return ["examples", "templates"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.includes("node_modules"))
      .map((file) => relative(root, join(root, folder, file))),
  );
}
