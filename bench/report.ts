/** The table, for the terminal and for docs/performance.md. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { root } from "../tools/bootstrap/paths";
import { describePace } from "./pace";
import type { Row } from "./row";

const page = join(root, "docs", "performance.md");
const [begin, end] = ["<!-- table: written by npm run bench -->", "<!-- end of table -->"];
const columns = ["| what | goal | ours | compared with | ratio | | commit |", "|---|---|---|---|---|---|---|"];

/** What becomes of the rows in docs/performance.md: all of them are replaced, or those that were measured again, or none. */
export type Save = "all" | "measured" | "none";

export function writeReport(rows: readonly Row[], { engine, save }: { engine: string; save: Save }): string {
  const commit = read("git", "rev-parse", "--short", "HEAD");
  const lines = rows.map(
    ({ what, goal, ours, beside, ratio, met }) =>
      `| ${[what, goal, ours, beside, ratio, met ? "met" : "**missed**", commit].join(" | ")} |`,
  );
  if (save !== "none") {
    const whole = readFileSync(page, "utf8");
    const [before, rest = ""] = whole.split(begin);
    const [written = "", after] = rest.split(end);
    const kept = save === "all" ? [] : rowsIn(written);
    writeFileSync(page, `${before}${begin}\n\n${table(engine, merge(kept, lines))}\n\n${end}${after}`);
  }
  return table(engine, lines);
}

function table(engine: string, lines: readonly string[]): string {
  return [conditions(engine), "", ...columns, ...lines].join("\n");
}

function rowsIn(text: string): string[] {
  return text.split("\n").filter((line) => line.startsWith("| ") && !columns.includes(line));
}

/** New lines take the place of the old ones of the same name; the others follow. */
function merge(old: readonly string[], lines: readonly string[]): string[] {
  const name = (line: string) => line.split(" | ")[0];
  const added = lines.filter((line) => !old.some((row) => name(row) === name(line)));
  return [...old.map((row) => lines.find((line) => name(line) === name(row)) ?? row), ...added];
}

function read(command: string, ...args: string[]): string {
  return execFileSync(command, args, { cwd: root, encoding: "utf8" }).trim();
}

function conditions(engine: string): string {
  const { version } = JSON.parse(readFileSync(require.resolve("@pulumi/pulumi/package.json"), "utf8"));
  const facts = [
    new Date().toISOString().slice(0, 10),
    `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GB`,
    `Node ${process.version}, Pulumi ${read(join(engine, "pulumi"), "version")}, @pulumi/pulumi ${version}`,
    ...[describePace()].filter((pace) => pace !== undefined),
  ];
  return `${facts.join("; ")}.`;
}
