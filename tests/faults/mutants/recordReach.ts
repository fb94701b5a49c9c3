/** Plays schedules, and prints as JSON which of them come by where bugs are planted, and by what few others do. See reach.ts. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../../../tools/bootstrap/paths";
import type { Schedule } from "../schedules/schedule";
import { Blocks } from "./blocks";
import { Executed, type Place } from "./executed";
import { printWhole } from "./printWhole";

export interface RecordJob {
  places: (Place & { name: string })[];
  numbers: readonly number[];
}

async function main(input: string): Promise<void> {
  // What is played may wait for nothing but timers that keep no process alive.
  setInterval(() => undefined, 60_000);
  const { places, numbers }: RecordJob = JSON.parse(readFileSync(input, "utf8"));
  const executed = new Executed(places);
  // Loaded when it is watched already.
  const { playNumberedSchedules, scheduleOf } = await import("../schedules/randomSchedules");
  const atLoad = executed.take().places.map(({ name }) => name);
  const reached = new Map<string, number[]>();
  const failures: string[] = [];
  const requests: Record<number, number> = {};
  const blocks = new Blocks();
  const ours = pathToFileURL(`${join(root, "provider")}/`).href;
  for (const number of numbers) {
    const tally = await playNumberedSchedules([number]);
    const { places, scripts } = executed.take();
    failures.push(...tally.failures);
    // One that fails by itself says nothing of a bug.
    if (tally.failures.length > 0) continue;
    requests[number] = tally.requests;
    for (const { name } of places) reached.set(name, [...(reached.get(name) ?? []), number]);
    for (const [fault, situations] of Object.entries(tally.hits))
      for (const situation of Object.keys(situations)) blocks.noteEvent(number, `${fault} during ${situation}`);
    for (const event of eventsIn(scheduleOf(number))) blocks.noteEvent(number, event);
    for (const { url, functions } of scripts) if (url.startsWith(ours)) blocks.note(number, url, functions);
  }
  // What most come by tells none from the others.
  const rare = blocks.rare(numbers.length / 4);
  await printWhole({ atLoad, reached: Object.fromEntries(reached), rare, requests, failures });
}

/** What the service and the account are like, and which step comes after which, of the same resource or of another. */
function eventsIn({ circumstances = {}, steps }: Schedule): string[] {
  const what = Object.entries(circumstances).map(([name, value]) => `${name}: ${value}`);
  const pairs = steps.map(({ kind, resource }, index) => {
    const before = steps[index - 1];
    if (!before) return `${circumstances.begins}, then ${kind}`;
    return `${before.kind}, then ${kind} of ${before.resource === resource ? "the same" : "another"}`;
  });
  return [...what, ...pairs];
}

if (require.main === module) void main(process.argv[2] ?? "").then(() => process.exit());
