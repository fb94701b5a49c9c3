import { parseArgs } from "node:util";
import { announce } from "../../../tools/bootstrap/progress";
import { play, report } from "../play";
import type { Schedule } from "../schedule";
import { quick } from "../singleFaults";
import { emptyTally } from "../tally";
import { playEngineLoad } from "./engineLoad";
import { playEngineSchedules, replayOnEngine } from "./engineSchedules";
import { playRandomSchedules, playSingleFaults } from "./handlerJobs";
import { failuresOf, writeReport } from "./report";

const defaults = { random: "10000", engine: "200", load: "500", seed: "1" };

/** Plays everything, writes the report, and returns the exit code. */
export async function runSoak(args: string[]): Promise<number> {
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
    },
  });
  if (values.replay !== undefined) return replay(JSON.parse(values.replay), values.quick);
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
