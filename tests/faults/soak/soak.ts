/** `npm run soak`: every single fault, thousands of random schedules on the handlers, hundreds on the real engine, and a report. */
import { parseArgs } from "node:util";
import { announce } from "../../../tools/bootstrap/progress";
import { setUp } from "../../../tools/bootstrap/setUp";
import { playEngineLoad } from "../load/engineLoad";
import { playEngineSchedules, replayOnEngine } from "../onEngine/playEngineSchedules";
import { describeFailure, play } from "../schedules/play";
import type { Schedule } from "../schedules/schedule";
import { emptyTally } from "../schedules/tally";
import { soakRandomSchedules, soakSingleFaults } from "./onHandlers";
import { failuresOf, writeReport } from "./report";

const defaults = { random: "10000", engine: "200", load: "500", seed: "1" };

const help = `npm run soak [-- OPTION…]

Plays every fault on every request, random schedules on the handlers and on the real engine, and many rentals at once while
requests fail. Writes a report to .gpufleet/soak. Exits with 1 if something did not hold.

  --random N                  random schedules on the handlers (default: ${defaults.random})
  --engine N                  random schedules on the real engine (default: ${defaults.engine})
  --load N                    rentals on the real engine while every fifth request fails (default: ${defaults.load})
  --seed N                    which random schedules (default: ${defaults.seed})
  --no-single                 leave out the single faults
  --replay JSON               play one schedule again, as a failure prints it
  --replay-on-engine JSON     the same for a schedule on the real engine
  --help                      show this
`;

/** Returns the exit code. */
export async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      random: { type: "string", default: defaults.random },
      engine: { type: "string", default: defaults.engine },
      load: { type: "string", default: defaults.load },
      seed: { type: "string", default: defaults.seed },
      replay: { type: "string" },
      "replay-on-engine": { type: "string" },
      "no-single": { type: "boolean", default: false },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  if (values.replay !== undefined) return replay(JSON.parse(values.replay));
  const { engine: engineFolder } = await setUp();
  process.env["GPUFLEET_ENGINE"] = engineFolder;
  const onEngine = values["replay-on-engine"];
  if (onEngine !== undefined) {
    const failure = await replayOnEngine(JSON.parse(onEngine));
    process.stdout.write(`${failure || "everything held"}\n`);
    return failure ? 1 : 0;
  }
  const say = announce("Soak");
  const seed = Number(values.seed);
  const single = values["no-single"] ? emptyTally() : await soakSingleFaults(say);
  const random = await soakRandomSchedules({ count: Number(values.random), seed, say });
  const engine = await playEngineSchedules({ count: Number(values.engine), seed, say });
  const load = await playEngineLoad({ count: Number(values.load), seed, say });
  const result = { seed, single, random, engine, load };
  process.stdout.write(`${writeReport(result)}\n`);
  return failuresOf(result).length === 0 ? 0 : 1;
}

async function replay(schedule: Schedule): Promise<number> {
  const played = await play(schedule);
  const output = played.session.output.filter(Boolean).join("\n");
  process.stdout.write(`${describeFailure(schedule, played)}\n\noutput:\n${output}\n`);
  return played.violations.length === 0 ? 0 : 1;
}
