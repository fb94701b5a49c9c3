import { playLoad } from "../load/handlerLoad";
import { playRandomSchedules } from "../schedules/randomSchedules";
import { playSingleFaults, type Target } from "../schedules/singleFaults";
import type { Tally } from "../schedules/tally";

/** A part of the harness's work, as data: whoever has it can have it played in another process. */
export type Job =
  | ({ kind: "single faults" } & Target)
  | { kind: "random schedules"; seed: number; count: number }
  | { kind: "load"; count: number; seed: number };

export function playJob(job: Job): Promise<Tally> {
  switch (job.kind) {
    case "single faults":
      return playSingleFaults(job);
    case "random schedules":
      return playRandomSchedules(job);
    case "load":
      return playLoad(job);
  }
}
