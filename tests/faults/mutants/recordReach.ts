/** Plays schedules, and prints as JSON which of them come by where bugs are planted. See reach.ts. */
import { readFileSync } from "node:fs";
import { Executed, type Place } from "./executed";

export interface RecordJob {
  places: (Place & { name: string })[];
  count: number;
}

async function main(input: string): Promise<void> {
  const { places, count }: RecordJob = JSON.parse(readFileSync(input, "utf8"));
  const executed = new Executed(places);
  // Loaded when it is watched already.
  const { playNumberedSchedules } = await import("../schedules/randomSchedules");
  const atLoad = executed.take().map(({ name }) => name);
  const reached = new Map<string, number[]>();
  const numbers = Array.from({ length: count }, (_, index) => index);
  const { failures } = await playNumberedSchedules({ numbers }, (number) => {
    for (const { name } of executed.take()) reached.set(name, [...(reached.get(name) ?? []), number]);
  });
  if (failures.length > 0) throw new Error(`A schedule fails without any planted bug:\n${failures.join("\n")}`);
  process.stdout.write(JSON.stringify({ atLoad, reached: Object.fromEntries(reached) }));
}

if (require.main === module) void main(process.argv[2] ?? "").then(() => process.exit());
