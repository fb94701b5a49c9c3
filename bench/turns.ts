/** Runs of the contestants alternate, so that a busy moment hits them all. */
import { type Service, startService } from "./emulator";
import type { Contestant } from "./programs";
import type { Context, Row } from "./row";
import { describe, median } from "./sample";

export const showSeconds = (seconds: number) => `${seconds.toFixed(1)} s`;

export async function withService<Result>(
  seconds: { provision: number; end: number },
  work: (service: Service) => Promise<Result>,
): Promise<Result> {
  const service = await startService(seconds);
  try {
    return await work(service);
  } finally {
    service.stop();
  }
}

/** What was measured of each contestant, taken in turn. */
export async function takeTurns<Name extends Contestant>(
  { rounds, say }: Context,
  contestants: readonly Name[],
  measure: (contestant: Name) => Promise<{ value: number; note: string }>,
): Promise<(contestant: Name) => number[]> {
  const values = new Map<Name, number[]>(contestants.map((name) => [name, []]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const name of contestants) {
      const { value, note } = await measure(name);
      values.get(name)?.push(value);
      say(`round ${round} of ${rounds}: ${name} ${note}`);
    }
  }
  return (name) => values.get(name) ?? [];
}

export function besideFloor(what: string, limit: number, ours: number[], floor: number[], unit = "s"): Row {
  const ratio = median(ours) / median(floor);
  return {
    what,
    goal: `≤ ${limit} × floor`,
    ours: describe(ours, unit),
    beside: describe(floor, unit),
    ratio: ratio.toFixed(2),
    met: ratio <= limit,
  };
}

/** How much memory a provider process may take. */
export function memoryRow(what: string, ours: number[], floor: number[]): Row {
  return besideFloor(`memory of the provider process, ${what}`, 1.35, ours, floor, "MB");
}
