import type { Violation } from "../oracle/laws";
import { judge, watch } from "../oracle/oracle";
import { type Beginning, beginnings } from "../simulation/beginnings";
import type { Disturbances } from "../simulation/disturbances";
import { Session } from "../simulation/session";
import type { Schedule } from "./schedule";
import { stepKinds } from "./stepKinds";

export interface Played {
  violations: Violation[];
  session: Session;
}

/** Plays a schedule, lets it come to rest, and judges it. */
export async function play(schedule: Schedule): Promise<Played> {
  const session = await Session.start(schedule);
  const witness = watch(session);
  await begin(session, schedule);
  for (const [number, { kind, resource, refresh }] of schedule.steps.entries()) {
    const index = resource % session.plan.length;
    const name = session.plan[index]?.name ?? "";
    const disturbances = disturbancesOf(schedule, number, session);
    await stepKinds[kind](session, { index, name, refresh, disturbances });
  }
  session.stopFaults();
  return { violations: await judge(session, witness), session };
}

function disturbancesOf({ faults, kills }: Schedule, number: number, session: Session): Disturbances {
  return {
    faults: faults.filter(({ step, kind }) => step === number && session.isPromisedDespite(kind)),
    kill: kills.find(({ step }) => step === number),
  };
}

/** What the first step is about is what something has gone wrong with before. */
async function begin(session: Session, { steps }: Schedule): Promise<void> {
  const index = (steps[0]?.resource ?? 0) % session.plan.length;
  const { up, replace }: Beginning = beginnings[session.circumstances.begins](index);
  if (up) await session.up(up);
  if (!replace) return;
  session.change(index);
  await session.up(replace, { name: "replace" });
}

/** What did not hold, what was hit, and how to see it again. */
export function describeFailure(schedule: Schedule, { violations, session }: Played): string {
  return [
    ...violations.map(({ law, what }) => `${law}: ${what}`),
    `hit: ${session.hits.map(({ fault, request }) => `${fault} on ${request}`).join("; ") || "nothing"}`,
    howToReplay(schedule),
  ].join("\n");
}

export function howToReplay(schedule: Schedule): string {
  return `again: npm run soak -- --replay '${JSON.stringify(schedule)}'`;
}
