import { playLoad } from "../load/handlerLoad";
import { playRandom } from "../schedules/randomSchedules";
import { playEveryFault } from "../schedules/singleFaults";
import type { Tally } from "../schedules/tally";

/** A part of the harness's work, as data: whoever has it can have it played in another process. */
export type Job =
  | { play: "every fault"; program: number; operation: string }
  | { play: "random schedules"; seed: number; count: number }
  | { play: "load"; count: number; seed: number };

export function playJob(job: Job): Promise<Tally> {
  switch (job.play) {
    case "every fault":
      return playEveryFault(job);
    case "random schedules":
      return playRandom(job);
    case "load":
      return playLoad(job);
  }
}
