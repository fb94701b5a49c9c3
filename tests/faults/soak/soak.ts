/** `npm run soak`: every single fault, thousands of random schedules on the handlers, hundreds on the real engine, and a report. */
import { parseArgs } from "node:util";
import { announce } from "../../../tools/bootstrap/progress";
import { setUp } from "../../../tools/bootstrap/setUp";
import { playEngineLoad } from "../load/engineLoad";
import { playEngineSchedules, replayOnEngine } from "../onEngine/playEngineSchedules";
import { play, report } from "../schedules/play";
import type { Schedule } from "../schedules/schedule";
import { quick } from "../schedules/singleFaults";
import { emptyTally } from "../schedules/tally";
import { playRandomSchedules, playSingleFaults } from "./handlerJobs";
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
  --quick                     with --replay: wait as little as single faults do
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
      quick: { type: "boolean", default: false },
      "no-single": { type: "boolean", default: false },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  if (values.replay !== undefined) return replay(JSON.parse(values.replay), values.quick);
  const { engine: engineFolder } = await setUp();
  process.env["GPUFLEET_ENGINE"] = engineFolder;
  const onEngine = values["replay-on-engine"];
  if (onEngine !== undefined) {
    const failure = await replayOnEngine(JSON.parse(onEngine));
    process.stdout.write(`${failure || "all holds"}\n`);
    return failure ? 1 : 0;
  }
  const say = announce("Soak");
  const seed = Number(values.seed);
  const single = values["no-single"] ? emptyTally() : await playSingleFaults(say);
  const random = await playRandomSchedules({ count: Number(values.random), seed, say });
  const engine = await playEngineSchedules({ count: Number(values.engine), seed, say });
  const load = await playEngineLoad({ count: Number(values.load), seed, say });
  const soaked = { seed, single, random, engine, load };
  process.stdout.write(`${writeReport(soaked)}\n`);
  return failuresOf(soaked).length === 0 ? 0 : 1;
}

async function replay(schedule: Schedule, isQuick: boolean): Promise<number> {
  const played = await play(schedule, isQuick ? quick : {});
  process.stdout.write(`${report(schedule, played)}\n\nsaid:\n${played.session.said.filter(Boolean).join("\n")}\n`);
  return played.violations.length === 0 ? 0 : 1;
}
