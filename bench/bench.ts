/** `npm run bench`: us and two peers on the same emulator and the real engine, in one run. */
import { delimiter } from "node:path";
import { parseArgs } from "node:util";
import { ToolError } from "../tools/bootstrap/command";
import { announce } from "../tools/bootstrap/progress";
import { setUp } from "../tools/bootstrap/setUp";
import { starting, testing } from "./commandParts";
import { destroy, fleet, growth, provided } from "./engineParts";
import { ending, stacks } from "./largeParts";
import { life } from "./lifeParts";
import { knowing, loading, parsing } from "./processParts";
import { writeReport } from "./report";
import type { Context, Part, Row } from "./row";

const parts: Readonly<Record<string, Part>> = {
  loading,
  parsing,
  knowing,
  starting,
  fleet,
  life,
  provided,
  growth,
  destroy,
  ending,
  stacks,
  testing,
};

/** A median of fewer is not written down. */
const enoughRounds = 5;

const help = `npm run bench [-- OPTION…]

Measures this package and two peers on the same emulator and the real engine, prints a table of ratios and writes its rows into
docs/performance.md. Exits with 1 if a goal is missed. Takes about 90 minutes on a machine with nothing else to do.

  --only PART   measure one part, and replace its rows: ${Object.keys(parts).join(", ")}
  --rounds N    take N samples of each timing (default: ${enoughRounds})
  --quick       few and small samples: tries the benchmark itself, and writes nothing
  --help        show this
`;

/** Returns the exit code. */
export async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      rounds: { type: "string" },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const { quick } = values;
  const chosen = choose(values.only);
  const { engine } = await setUp();
  process.env["GPUFLEET_ENGINE"] = engine;
  process.env["PATH"] = `${engine}${delimiter}${process.env["PATH"]}`;
  const rounds = Number(values.rounds ?? (quick ? 1 : enoughRounds));
  const context: Context = { rounds, size: quick ? 20 : 200, quick, say: announce("Bench") };
  const rows: Row[] = [];
  for (const [name, part] of chosen) {
    context.say(name);
    rows.push(...(await part(context)));
  }
  const isEnough = !quick && rounds >= enoughRounds;
  const save = isEnough ? (values.only === undefined ? "all" : "measured") : "none";
  process.stdout.write(`${writeReport(rows, { engine, save })}\n`);
  return rows.every((row) => row.met) ? 0 : 1;
}

function choose(name: string | undefined): [string, Part][] {
  if (name === undefined) return Object.entries(parts);
  const part = parts[name];
  if (!part) throw new ToolError(`--only ${name} is invalid. Choose one of ${Object.keys(parts).join(", ")}.`);
  return [[name, part]];
}
