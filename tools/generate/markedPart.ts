/** Pages that are written by hand but for one part. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ToolError } from "../bootstrap/command";
import { root } from "../bootstrap/paths";

/** The file with this text between its two marks. */
export function withMarkedPart(file: string, part: string, text: string): [string, string] {
  return [file, replaceMarkedPart(file, readFileSync(join(root, file), "utf8"), part, text)];
}

export function replaceMarkedPart(file: string, page: string, part: string, text: string): string {
  const begin = `<!-- ${part}: written by \`npm run generate\` -->\n`;
  const end = `<!-- end of ${part} -->`;
  const [before, rest] = split(page, begin);
  const [, after] = split(rest, end);
  if (after === undefined) throw new ToolError(`${file} needs the lines ${begin.trim()} and ${end}, in this order`);
  return `${before}${begin}\n${text}\n${end}${after}`;
}

function split(text: string | undefined, mark: string): [string, string | undefined] {
  const at = text?.indexOf(mark) ?? -1;
  return text === undefined || at < 0 ? ["", undefined] : [text.slice(0, at), text.slice(at + mark.length)];
}
