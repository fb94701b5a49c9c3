import { delimiter } from "node:path";
import { parseArgs } from "node:util";
import { ToolError } from "../tools/bootstrap/command";
import { announce } from "../tools/bootstrap/progress";
import { starting, testing } from "./commandParts";
import { destroy, fleet, singles, unchanged } from "./engineParts";
import { knowing, loading, parsing } from "./processParts";
import { writeReport } from "./report";
import type { Context, Part, Row } from "./row";

const parts: Readonly<Record<string, Part>> = {
  loading,
  parsing,
  knowing,
  starting,
  fleet,
  singles,
  unchanged,
  destroy,
  testing,
};

/** A median of fewer is not written down. */
const enoughRounds = 5;

/** Measures, prints the table, and returns the exit code. */
export async function runBenchmark(engine: string, args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { quick: { type: "boolean", default: false }, only: { type: "string" }, rounds: { type: "string" } },
  });
  const { quick } = values;
  const chosen = choose(values.only);
  process.env["PATH"] = `${engine}${delimiter}${process.env["PATH"]}`;
  const rounds = Number(values.rounds ?? (quick ? 1 : enoughRounds));
  const context: Context = { engine, rounds, size: quick ? 20 : 200, quick, say: announce("Bench") };
  const rows: Row[] = [];
  for (const [name, part] of chosen) {
    context.say(name);
    rows.push(...(await part(context)));
  }
  const isWhole = !quick && rounds >= enoughRounds && chosen.length === Object.keys(parts).length;
  process.stdout.write(`${writeReport(rows, { engine, save: isWhole })}\n`);
  return rows.every((row) => row.met) ? 0 : 1;
}

function choose(name: string | undefined): [string, Part][] {
  if (name === undefined) return Object.entries(parts);
  const part = parts[name];
  if (!part) throw new ToolError(`--only takes one of ${Object.keys(parts).join(", ")}, not ${JSON.stringify(name)}`);
  return [[name, part]];
}
