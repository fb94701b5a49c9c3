import { parseArgs } from "node:util";
import { play, report } from "../../tests/faults/play";
import type { Schedule } from "../../tests/faults/schedule";
import { announce } from "../progress";
import { playEngineSchedules } from "./engineSchedules";
import { playRandomSchedules } from "./randomSchedules";
import { writeReport } from "./report";
import { playSingleFaults } from "./singleFaults";

const defaults = { random: "10000", engine: "200", seed: "1" };

/** Plays everything, writes the report, and returns the exit code. */
export async function runSoak(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      random: { type: "string", default: defaults.random },
      engine: { type: "string", default: defaults.engine },
      seed: { type: "string", default: defaults.seed },
      replay: { type: "string" },
      "no-single": { type: "boolean", default: false },
    },
  });
  if (values.replay !== undefined) return replay(JSON.parse(values.replay));
  const say = announce("Soak");
  const seed = Number(values.seed);
  const single = values["no-single"] ? { cases: 0, failures: [] } : await playSingleFaults(say);
  const random = await playRandomSchedules({ count: Number(values.random), seed, say });
  const engine = await playEngineSchedules({ count: Number(values.engine), seed, say });
  process.stdout.write(`${writeReport({ seed, single, random, engine })}\n`);
  return single.failures.length + random.failures.length + engine.failures.length === 0 ? 0 : 1;
}

async function replay(schedule: Schedule): Promise<number> {
  const played = await play(schedule);
  process.stdout.write(`${report(schedule, played)}\n\nsaid:\n${played.session.said.filter(Boolean).join("\n")}\n`);
  return played.violations.length === 0 ? 0 : 1;
}
