import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Tally } from "./tally";
import { emptyTally, merge } from "./tally";

export interface Soak {
  count: number;
  seed: number;
  say(text: string): void;
}

/** Small enough that the display moves, large enough that a process is worth starting. */
const batch = 500;

/** Random schedules on the handlers, on all cores. Each batch has a seed of its own, so that a failure is found again. */
export async function playRandomSchedules({ count, seed, say }: Soak): Promise<Tally> {
  const batches = Array.from({ length: Math.ceil(count / batch) }, (_, index) => ({
    seed: seed * 100_000 + index,
    count: Math.min(batch, count - index * batch),
  }));
  const total = emptyTally();
  const work = async () => {
    for (let next = batches.shift(); next; next = batches.shift()) {
      merge(total, await playBatch(next));
      say(`${total.schedules} of ${count} random schedules, ${total.failures.length} failed`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return total;
}

function playBatch(order: { seed: number; count: number }): Promise<Tally> {
  return new Promise((resolve, reject) => {
    const child = fork(join(__dirname, "randomBatch.js"), [JSON.stringify(order)]);
    child.once("message", (tally: Tally) => resolve(tally));
    child.once("error", reject);
    child.once(
      "exit",
      (code) => code !== 0 && reject(new Error(`a batch ended with ${code}: ${JSON.stringify(order)}`)),
    );
  });
}
