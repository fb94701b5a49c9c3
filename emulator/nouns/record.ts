import { isPresent, type Life, phaseAt, type World } from "../state";
import { formatTimestamp } from "../timestamp";

/** What the records of all kinds have in common. */

/** As the service's own clock has it, which may be wrong. */
export function timestamp({ dialect, settings }: World, milliseconds: number): string {
  return formatTimestamp(milliseconds + settings.skewMs, dialect.timestamps);
}

/** The times that a record shows: null for what has not happened by then. */
export function timesOf(world: World, life: Life, at: number) {
  const passed = (moment: number | null) => (moment !== null && moment <= at ? timestamp(world, moment) : null);
  const becameReady = !life.fails && life.readyAt <= (life.endsFrom ?? life.readyAt);
  return {
    createdAt: timestamp(world, life.createdAt),
    startedAt: becameReady ? passed(life.readyAt) : null,
    endedAt: passed(life.endedAt),
  };
}

/** Whether a list shows an object with this life. */
export function isListed({ dialect }: World, life: Life, at: number): boolean {
  const phase = phaseAt(life, at);
  return isPresent(phase) || (phase === "ended" && dialect.keepsEnded);
}
