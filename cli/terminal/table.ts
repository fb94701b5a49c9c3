import { cleanText } from "../../provider/shared/cleanText";
import type { Paint } from "./style";
import { width } from "./width";

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

/** How a cell says that there is nothing to say. */
export const emptyCell = "–";

/** The same without the columns that have nothing to say of any row. */
export function tableOfFilled(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  paint: Paint,
): string[] {
  const filled = columns.map((_, index) => rows.some((row) => row[index] !== emptyCell));
  const only = <One>(all: readonly One[]) => all.filter((_, index) => filled[index]);
  return table(only(columns), rows.map(only), paint);
}
