import { faultNames } from "../../tests/faults/kinds";
import {
  everyKill,
  everyLossWithStaleLists,
  everySingleFault,
  operations,
  programs,
} from "../../tests/faults/singleFaults";

export interface SingleFaults {
  cases: number;
  failures: string[];
}

/** One fault of every kind, variants included, and every kill, on every request of every operation of every resource. */
export async function playSingleFaults(say: (text: string) => void): Promise<SingleFaults> {
  const total: SingleFaults = { cases: 0, failures: [] };
  for (const kinds of programs) {
    for (const operation of Object.keys(operations)) {
      const parts = [
        await everySingleFault(kinds, operation, faultNames),
        await everyLossWithStaleLists(kinds, operation),
        await everyKill(kinds, operation),
      ];
      for (const { cases, failures } of parts) {
        total.cases += cases;
        total.failures.push(...failures);
      }
      say(
        `${total.cases} single faults and kills, ${total.failures.length} failed (${kinds.join(", ")}: ${operation})`,
      );
    }
  }
  return total;
}
