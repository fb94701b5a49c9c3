import { stripVTControlCharacters } from "node:util";
import { cleanText } from "../../provider/shared/cleanText";
import type { Paint } from "./style";

export interface Column {
  title: string;
  /** For numbers: aligned at their last digit. */
  right?: boolean;
}

const indent = "  ";
const gap = "  ";
const longestCell = 60;

/** Rows below a line of titles, indented, each column as wide as it must be. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[], paint: Paint): string[] {
  const cells = rows.map((row) => row.map((cell) => cleanText(cell, { max: longestCell })));
  const widths = columns.map(({ title }, index) =>
    Math.max(width(title), ...cells.map((row) => width(row[index] ?? ""))),
  );
  const line = (row: readonly string[]) =>
    columns
      .map(({ right }, index) => {
        const text = row[index] ?? "";
        const space = " ".repeat(Math.max(0, (widths[index] ?? 0) - width(text)));
        return right ? space + text : text + space;
      })
      .join(gap)
      .trimEnd();
  const titles = paint("dim", line(columns.map(({ title }) => title)));
  return [titles, ...cells.map(line)].map((text) => `${indent}${text}`);
}

function width(text: string): number {
  return [...stripVTControlCharacters(text)].length;
}
