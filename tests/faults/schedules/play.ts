import { judge, type Violation } from "../oracle/oracle";
import { Session, type SessionOptions } from "../simulation/session";
import type { Schedule } from "./schedule";

export interface Played {
  violations: Violation[];
  session: Session;
}

/** Plays a schedule, lets it come to rest, and judges it. */
export async function play(schedule: Schedule, options?: SessionOptions): Promise<Played> {
  const session = new Session(schedule, options);
  await session.play();
  return { violations: await judge(session), session };
}

/** What did not hold, what was hit, and how to see it again. */
export function report(schedule: Schedule, { violations, session }: Played, flags = ""): string {
  return [
    ...violations.map(({ law, what }) => `${law}: ${what}`),
    `hit: ${session.hits.map(({ fault, request }) => `${fault} on ${request}`).join("; ") || "nothing"}`,
    `again: npm run soak -- ${flags}--replay '${JSON.stringify(schedule)}'`,
  ].join("\n");
}
