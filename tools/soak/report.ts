import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { local, root } from "../paths";
import type { EngineTally } from "./engineSchedules";
import type { SingleFaults } from "./singleFaults";
import type { Tally } from "./tally";

export interface Soaked {
  seed: number;
  single: SingleFaults;
  random: Tally;
  engine: EngineTally;
}

const folder = join(local, "soak");

/** Writes the report as JSON and as Markdown, and gives the latter. */
export function writeReport(soaked: Soaked): string {
  mkdirSync(folder, { recursive: true });
  const text = toMarkdown(soaked);
  writeFileSync(join(folder, "report.json"), JSON.stringify(soaked, undefined, 2));
  writeFileSync(join(folder, "report.md"), text);
  return `${text}\nWritten to ${relative(root, folder)}/report.md and report.json.`;
}

function toMarkdown({ seed, single, random, engine }: Soaked): string {
  const failures = [...single.failures, ...random.failures, ...engine.failures];
  return [
    `${new Date().toISOString().slice(0, 10)}, commit ${commit()}, seed ${seed}.`,
    "",
    `- ${single.cases} runs with one fault or kill each, on every request of every operation, ${single.failures.length} failed.`,
    `- ${random.schedules} random schedules on the handlers, ${random.requests} requests, ${random.failures.length} failed.`,
    `- ${engine.schedules} schedules on the real engine, ${engine.failures.length} failed; the longest took ${engine.worst} s.`,
    "",
    ...table(["fault", "requests hit", "kinds of request", "the one hit most"], faultRows(random)),
    "",
    ...table(["operation", "longest, virtual seconds"], entries(random.worst)),
    "",
    ...table(["end of the update on the engine", "schedules"], entries(engine.ends)),
    ...(failures.length === 0 ? [] : ["", "Failures:", "", "```", failures.join("\n\n"), "```"]),
    "",
  ].join("\n");
}

function faultRows({ hits }: Tally): string[][] {
  return Object.entries(hits)
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([fault, requests]) => {
      const counts = Object.entries(requests).sort(([, one], [, other]) => other - one);
      const total = counts.reduce((sum, [, times]) => sum + times, 0);
      return [fault, String(total), String(counts.length), `\`${counts[0]?.[0]}\``];
    });
}

function entries(record: Record<string, number>): string[][] {
  return Object.entries(record)
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([name, value]) => [name, String(value)]);
}

function table(head: string[], rows: string[][]): string[] {
  const line = (cells: string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)];
}

function commit(): string {
  return execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
}
