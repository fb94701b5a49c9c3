import fc from "fast-check";
import type { Sample } from "../schedules/sample";
import { type EngineSchedule, engineSchedules } from "./engineSchedule";
import { EngineTrial } from "./engineTrial";

export interface EngineTally {
  schedules: number;
  failures: string[];
  /** How often each end came at each point: `kill-cli, after the effect` → count. */
  ends: Record<string, number>;
  /** The longest schedule from its beginning to the end of destroy, in seconds. */
  longest: number;
}

/** Each runs several processes of its own, and waits now and then. */
const atOnce = 3;

/** Random schedules on the real engine, with kills of the command and of the provider process. */
export async function playEngineSchedules({ count, seed, say }: Sample): Promise<EngineTally> {
  const schedules = fc.sample(engineSchedules, { seed, numRuns: count });
  const tally: EngineTally = { schedules: 0, failures: [], ends: {}, longest: 0 };
  const work = async () => {
    const trial = await EngineTrial.create();
    try {
      for (let next = schedules.shift(); next; next = schedules.shift()) {
        const failure = await playOne(trial, next, tally);
        if (failure) say(failure);
        say(`${tally.schedules} of ${count} engine schedules, ${tally.failures.length} failed`);
      }
    } finally {
      await trial.dispose();
    }
  };
  if (count > 0) await Promise.all(Array.from({ length: atOnce }, work));
  return tally;
}

/** Gives what did not hold. */
async function playOne(trial: EngineTrial, schedule: EngineSchedule, tally: EngineTally): Promise<string | undefined> {
  const startedAt = performance.now();
  const violations = await trial.play(schedule).catch((error: unknown) => [String(error)]);
  tally.schedules += 1;
  tally.longest = Math.max(tally.longest, Math.round((performance.now() - startedAt) / 1000));
  const end = schedule.end === "none" ? "not ended" : `${schedule.end}, ${schedule.point}`;
  tally.ends[end] = (tally.ends[end] ?? 0) + 1;
  if (violations.length === 0) return undefined;
  const failure = reportOf(schedule, violations);
  tally.failures.push(failure);
  return failure;
}

/** Plays one schedule and gives what did not hold, and how to see it again; nothing where all held. */
export async function replayOnEngine(schedule: EngineSchedule): Promise<string> {
  const trial = await EngineTrial.create();
  try {
    const violations = await trial.play(schedule);
    return violations.length > 0 ? reportOf(schedule, violations) : "";
  } finally {
    await trial.dispose();
  }
}

function reportOf(schedule: EngineSchedule, violations: readonly string[]): string {
  return `${violations.join("\n")}\nagain: npm run soak -- --replay-on-engine '${JSON.stringify(schedule)}'`;
}
