import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { run, ToolError } from "../../../tools/bootstrap/command";
import { root } from "../../../tools/bootstrap/paths";
import { type FrontName, frontNames } from "../simulation/circumstances";
import { nodeFlags } from "../workers/nodeFlags";
import { currentCommit } from "./lastRun";
import type { Patch } from "./patch";
import type { RecordJob } from "./recordReach";

/** How many schedules are played on either front to see where they come by; others on each. */
const recorded = 1200;
/** As many of those that come by are played with a bug as make so many requests in all. */
const mostRequests = 16_000;

const found = z.object({
  /** Bugs in what runs when a file is loaded: every schedule comes by. */
  atLoad: z.array(z.string()),
  /** By bug, the numbers of the schedules that come by. */
  reached: z.record(z.string(), z.array(z.number())),
  /** For each part of the code that few schedules come by, the numbers of those. */
  rare: z.array(z.array(z.number())),
  /** How many requests each schedule makes: what it costs to play it. */
  requests: z.record(z.string(), z.number()),
  /** What fails without any bug: that is to be mended. */
  failures: z.array(z.string()),
});
const saved = z.object({ commit: z.string(), bugs: z.array(z.string()), fronts: z.record(z.string(), found) });
type Found = z.output<typeof found>;

const file = join(root, ".gpufleet", "mutants", "reach.json");

/**
 * Which schedules come by where a bug is planted: the others cannot notice it. They are played once without any bug, and known again as
 * long as commit and bugs are the same.
 */
export async function findReach(patches: ReadonlyMap<string, Patch>, say: (text: string) => void): Promise<Reach> {
  const names = [...patches.keys()];
  const known = read();
  const isKnown = known?.commit === currentCommit() && known.bugs.join() === names.join();
  if (isKnown) return new Reach(new Map(Object.entries(known.fronts)));
  const places = [...patches].map(([name, patch]) => ({ name, ...placeOf(patch) }));
  mkdirSync(dirname(file), { recursive: true });
  const fronts = await Promise.all(
    frontNames.map(async (front): Promise<[FrontName, Found]> => {
      const job: RecordJob = { places, numbers: numbersOf(front) };
      const input = join(dirname(file), `${front}.json`);
      writeFileSync(input, JSON.stringify(job));
      return [front, await record(front, input, say)];
    }),
  );
  const result = { commit: currentCommit(), bugs: names, fronts: Object.fromEntries(fronts) };
  writeFileSync(file, JSON.stringify(result));
  return new Reach(new Map(fronts));
}

/** Which schedules to play with a bug. */
export class Reach {
  constructor(private readonly fronts: ReadonlyMap<string, Found>) {}

  numbersFor(front: FrontName, bug: string): number[] {
    const known = this.fronts.get(front);
    if (!known) throw new ToolError(`There is no record of the schedules on ${front}.`);
    const passing = Object.keys(known.requests).map(Number);
    const numbers = known.atLoad.includes(bug) ? passing : (known.reached[bug] ?? []);
    return numbersToPlay(numbers, { rare: known.rare, costOf: (number) => known.requests[number] ?? 1 });
  }
}

function numbersOf(front: FrontName): number[] {
  const first = frontNames.indexOf(front) * recorded;
  return Array.from({ length: recorded }, (_, index) => first + index);
}

export interface Knowledge {
  rare: readonly (readonly number[])[];
  costOf(number: number): number;
}

/**
 * Which of these schedules are played, in which order: in turns one as they come and one that does what few others do. A bug shows where
 * something rare happens, where a machine is somebody else's or a list lacks one; and often in a plain schedule, where nothing else is amiss.
 */
export function numbersToPlay(numbers: readonly number[], knowledge: Knowledge, most = mostRequests): number[] {
  const varied = mostVaried(numbers, knowledge, most);
  const turns = numbers.flatMap((number, index) => [number, ...varied.slice(index, index + 1)]);
  return affordable(most, [...new Set(turns)], knowledge);
}

/**
 * These schedules, beginning with the one that for its cost does most of what few others do, and going on with the one that adds most to what
 * those before it have done.
 */
function mostVaried(numbers: readonly number[], { rare, costOf }: Knowledge, most: number): number[] {
  const partsOf = new Map<number, number[]>(numbers.map((number) => [number, []]));
  for (const [part, those] of rare.entries()) for (const number of those) partsOf.get(number)?.push(part);
  // Each part counts the less, the more schedules do it, and half as much each time that one of those chosen has done it.
  const values = rare.map(({ length }) => 1 / length);
  const gainOf = (number: number) =>
    (partsOf.get(number) ?? []).reduce((sum, part) => sum + (values[part] ?? 0), 0) / costOf(number);
  const chosen: number[] = [];
  for (let cost = 0; partsOf.size > 0 && cost < most; ) {
    const [best] = [...partsOf.keys()].reduce<[number, number]>(
      (best, number) => {
        const value = gainOf(number);
        return value > best[1] ? [number, value] : best;
      },
      [Number.NaN, -1],
    );
    chosen.push(best);
    cost += costOf(best);
    for (const part of partsOf.get(best) ?? []) values[part] = (values[part] ?? 0) / 2;
    partsOf.delete(best);
  }
  return chosen;
}

/** The first of these, as far as they make at most so many requests; one at least. */
function affordable(most: number, numbers: readonly number[], { costOf }: Knowledge): number[] {
  let cost = 0;
  const end = numbers.findIndex((number) => {
    cost += costOf(number);
    return cost > most;
  });
  return end < 0 ? [...numbers] : numbers.slice(0, Math.max(end, 1));
}

function read() {
  try {
    return saved.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}

/** What of a file is another with the bug. */
function placeOf({ file: name, before, after }: Patch) {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let end = before.length;
  while (end > start && before[end - 1] === after[after.length - (before.length - end) - 1]) end -= 1;
  return { file: join(root, name), start, end: Math.max(end, start + 1) };
}

async function record(front: FrontName, input: string, say: (text: string) => void): Promise<Found> {
  const script = join(__dirname, "recordReach.ts");
  const { code, stdout, stderr } = await run(process.execPath, [...nodeFlags, script, input], {
    cwd: root,
    output: "capture",
    timeoutMs: 3_600_000,
    env: { ...process.env, GPUFLEET_FAULT_FRONT: front },
  });
  if (code !== 0) throw new ToolError(`The schedules on ${front} could not be recorded:\n${stderr.slice(-4000)}`);
  const result = found.parse(JSON.parse(stdout));
  for (const failure of result.failures) say(`on ${front} this fails without any bug:\n${failure}`);
  return result;
}
