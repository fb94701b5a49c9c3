import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { local, root } from "../../../tools/bootstrap/paths";
import type { EngineLoad } from "../load/engineLoad";
import type { EngineTally } from "../onEngine/playEngineSchedules";
import type { Tally } from "../schedules/tally";

export interface SoakResult {
  seed: number;
  single: Tally;
  random: Tally;
  engine: EngineTally;
  load: EngineLoad;
}

const folder = join(local, "soak");

/** Writes the report as JSON and as Markdown, and gives the text to print. */
export function writeReport(result: SoakResult): string {
  mkdirSync(folder, { recursive: true });
  const text = toMarkdown(result);
  writeFileSync(join(folder, "report.json"), JSON.stringify(result, undefined, 2));
  writeFileSync(join(folder, "report.md"), text);
  return `${text}\nWritten to ${relative(root, folder)}/report.md and report.json.`;
}

export function failuresOf({ single, random, engine, load }: SoakResult): string[] {
  return [single, random, engine, load].flatMap(({ failures }) => failures);
}

function toMarkdown(result: SoakResult): string {
  const { seed, single, random, engine, load } = result;
  const failures = failuresOf(result);
  return [
    `${new Date().toISOString().slice(0, 10)}, commit ${commit()}, seed ${seed}.`,
    "",
    `- ${single.schedules} runs with one fault or kill each, on every request of every operation, ${single.failures.length} failed.`,
    `- ${random.schedules} random schedules on the handlers, ${random.requests} requests, ${random.failures.length} failed.`,
    `- ${engine.schedules} schedules on the real engine, ${engine.failures.length} failed; the longest took ${engine.longest} s.`,
    `- ${describeLoad(load)}`,
    "",
    "How often each fault met each kind of request in the random schedules:",
    "",
    ...coverage(random),
    "",
    ...table(["operation", "longest, simulated seconds"], entries(random.longest)),
    "",
    ...table(["how the update on the engine ended", "schedules"], entries(engine.ends)),
    ...(failures.length === 0 ? [] : ["", "Failures:", "", "```", failures.join("\n\n"), "```"]),
    "",
  ].join("\n");
}

function describeLoad({ rentals, requests, commands, failures }: EngineLoad): string {
  if (rentals === 0) return "No load on the real engine (--load 0).";
  const { up, refresh, destroy } = commands;
  const ratio = (requests.disturbed / requests.undisturbed).toFixed(2);
  return [
    `${rentals} rentals on the real engine, every fifth request failing:`,
    `${up} × up, ${refresh} × refresh, ${destroy} × destroy,`,
    `${requests.disturbed} requests, ${requests.undisturbed} without faults (${ratio} ×),`,
    failures.length === 0 ? "nothing lost." : `${failures.length} failures.`,
  ].join(" ");
}

/** Faults by kinds of requests; the JSON has them by commands, too. */
function coverage({ hits }: Tally): string[] {
  const kindOf = (situation: string) => situation.split(": ").at(-1) ?? situation;
  const kinds = [...new Set(Object.values(hits).flatMap((row) => Object.keys(row).map(kindOf)))].sort();
  const rows = Object.entries(hits).sort(([one], [other]) => one.localeCompare(other));
  const count = (row: Tally["hits"][string], kind: string) =>
    Object.entries(row).reduce((sum, [situation, hit]) => (kindOf(situation) === kind ? sum + hit : sum), 0);
  return table(
    ["fault", ...kinds],
    rows.map(([fault, row]) => [fault, ...kinds.map((kind) => String(count(row, kind)))]),
  );
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
