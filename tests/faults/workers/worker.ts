/** A process that plays jobs of the harness for `Workers`: without jest around them they take a third of the time. */
import { type Job, playJob } from "./job";

process.on("message", async (job: Job) => {
  try {
    process.send?.({ tally: await playJob(job) });
  } catch (error) {
    process.send?.({ error: error instanceof Error ? error.stack : String(error) });
  }
});
process.on("disconnect", () => process.exit());
