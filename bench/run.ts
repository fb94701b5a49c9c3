import { delimiter } from "node:path";
import { ToolError } from "../tools/command";
import { announce } from "../tools/progress";
import { destroy, fleet, singles, unchanged } from "./engineParts";
import { knowing, loading, parsing } from "./processParts";
import { writeReport } from "./report";
import type { Context, Part, Row } from "./row";

const parts: Readonly<Record<string, Part>> = { loading, parsing, knowing, fleet, singles, unchanged, destroy };

/** Measures, prints the table, and returns the exit code. */
export async function runBenchmark(engine: string, args: readonly string[]): Promise<number> {
  const quick = args.includes("--quick");
  const chosen = choose(args);
  process.env["PATH"] = `${engine}${delimiter}${process.env["PATH"]}`;
  const context: Context = { engine, rounds: quick ? 1 : 5, size: quick ? 20 : 200, quick, say: announce("Bench") };
  const rows: Row[] = [];
  for (const [name, part] of chosen) {
    context.say(name);
    rows.push(...(await part(context)));
  }
  const isWhole = !quick && chosen.length === Object.keys(parts).length;
  process.stdout.write(`${writeReport(rows, { engine, save: isWhole })}\n`);
  return rows.every((row) => row.met) ? 0 : 1;
}

function choose(args: readonly string[]): [string, Part][] {
  if (!args.includes("--only")) return Object.entries(parts);
  const name = args[args.indexOf("--only") + 1] ?? "";
  const part = parts[name];
  if (!part) throw new ToolError(`--only takes one of ${Object.keys(parts).join(", ")}, not ${JSON.stringify(name)}`);
  return [[name, part]];
}
