/** The table, for the terminal and for docs/performance.md. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { root } from "../tools/bootstrap/paths";
import type { Row } from "./row";

const page = join(root, "docs", "performance.md");
const [begin, end] = ["<!-- table: written by npm run bench -->", "<!-- end of table -->"];

export function writeReport(rows: readonly Row[], { engine, save }: { engine: string; save: boolean }): string {
  const lines = rows.map(({ what, goal, ours, beside, ratio, met }) =>
    ["", what, goal, ours, beside, ratio, met ? "met" : "**missed**", ""].join(" | ").trim(),
  );
  const table = ["| what | goal | ours | compared with | ratio | |", "|---|---|---|---|---|---|", ...lines].join("\n");
  const text = `${conditions(engine)}\n\n${table}`;
  if (save) {
    const whole = readFileSync(page, "utf8");
    const [before] = whole.split(begin);
    const [, after] = whole.split(end);
    writeFileSync(page, `${before}${begin}\n\n${text}\n\n${end}${after}`);
  }
  return text;
}

function conditions(engine: string): string {
  const read = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: root, encoding: "utf8" }).trim();
  const { version } = JSON.parse(readFileSync(require.resolve("@pulumi/pulumi/package.json"), "utf8"));
  const facts = [
    `${new Date().toISOString().slice(0, 10)}, commit ${read("git", "rev-parse", "--short", "HEAD")}`,
    `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GB`,
    `Node ${process.version}, Pulumi ${read(join(engine, "pulumi"), "version")}, @pulumi/pulumi ${version}`,
  ];
  return `${facts.join("; ")}.`;
}
