import { printWhole } from "./printWhole";

/**
 * Plays the schedules of these numbers up to the first that fails, and prints as JSON what did not hold. Without jest around it: most bugs are
 * noticed in less time than that takes to start.
 */
async function main(numbers: string): Promise<void> {
  // What is played may wait for nothing but timers that keep no process alive.
  setInterval(() => undefined, 60_000);
  await printWhole({ failures: await play(numbers.split(",").map(Number)) });
}

/** A bug may keep the sources from being loaded at all. */
async function play(numbers: readonly number[]): Promise<string[]> {
  try {
    const { playNumberedSchedules } = await import("../schedules/randomSchedules");
    return (await playNumberedSchedules(numbers)).failures;
  } catch (error) {
    return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
  }
}

if (require.main === module) void main(process.argv[2] ?? "").then(() => process.exit());
