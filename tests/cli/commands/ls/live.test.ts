import type { Inventory } from "../../../../cli/commands/ls/inventory";
import { type Frame, keepUpToDate, showFrame } from "../../../../cli/commands/ls/live";

const plain = (_style: string, text: string) => text;
const start = new Date(2026, 0, 1, 12, 0, 0).getTime();

const inventory: Inventory = {
  stacks: ["fleet/dev"],
  at: start,
  entries: [],
  elsewhere: [],
  missing: [],
  notListed: [],
  gaps: [],
  unread: [],
  leftOut: [],
};

/** Looks that go as the answers say, by a clock that jumps, until they are used up. */
async function watch(answers: readonly (Inventory | Error)[]) {
  const stop = new AbortController();
  const frames: Frame[] = [];
  const pauses: number[] = [];
  const waiting = [...answers];
  let now = start;
  await keepUpToDate({
    look: async () => {
      const answer = waiting.shift();
      if (answer instanceof Error) throw answer;
      if (!answer) throw new Error("it was asked once too often");
      return answer;
    },
    show: (frame) => frames.push(frame),
    everyMs: 10_000,
    clock: {
      now: () => now,
      sleep: async (ms) => {
        pauses.push(ms);
        now += ms;
        if (waiting.length === 0) stop.abort();
      },
    },
    until: stop.signal,
  });
  return { frames, pauses };
}

describe("gpufleet ls --watch", () => {
  test("looks again and again until it is told to stop", async () => {
    const { frames, pauses } = await watch([inventory, inventory]);
    expect(pauses).toEqual([10_000, 10_000]);
    expect(frames.map((frame) => showFrame(frame, 10_000, plain))).toEqual([
      "12:00:00  every 10s, ^C stops\nStack fleet/dev\n  nothing",
      "12:00:10  every 10s, ^C stops\nStack fleet/dev\n  nothing",
    ]);
  });

  test("keeps what it last saw when a look fails, and asks less and less often until one works", async () => {
    const failure = new Error("the service answered 503.");
    const { frames, pauses } = await watch([inventory, failure, failure, inventory]);
    expect(pauses).toEqual([10_000, 20_000, 40_000, 10_000]);
    expect(frames.map((frame) => showFrame(frame, 10_000, plain).split("\n")[0])).toEqual([
      "12:00:00  every 10s, ^C stops",
      "12:00:10  Could not update: the service answered 503. Next try in 20s. Below is what ran at 12:00:00:",
      "12:00:30  Could not update: the service answered 503. Next try in 40s. Below is what ran at 12:00:00:",
      "12:01:10  every 10s, ^C stops",
    ]);
  });

  test("never waits longer than five minutes for the next look", async () => {
    const failures = Array.from({ length: 8 }, () => new Error("no"));
    expect((await watch([inventory, ...failures])).pauses.slice(-3)).toEqual([300_000, 300_000, 300_000]);
  });

  test("fails where the first look does", async () => {
    await expect(watch([new Error("no stack is selected")])).rejects.toThrow("no stack is selected");
  });

  test("ends in the middle of a look, without showing it", async () => {
    const stop = new AbortController();
    const shown: Frame[] = [];
    const ended = keepUpToDate({
      look: () => new Promise((_, reject) => setImmediate(() => reject(new Error("interrupted, too")))),
      show: (frame) => shown.push(frame),
      everyMs: 10_000,
      clock: { now: () => start, sleep: async () => undefined },
      until: stop.signal,
    });
    stop.abort();
    await ended;
    expect(shown).toEqual([]);
  });
});
