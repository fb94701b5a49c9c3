import { unresolvedFingerprint } from "../../provider/lifecycle";
import type { Billable } from "./billable";

/**
 * Each thing once. A state has one twice where a resource has adopted the volume that was created with a rental, or what another entry
 * still holds: then it is that of the resource that keeps it.
 */
export function eachOnce<One extends Billable>(all: readonly One[], keyOf: (one: One) => string | undefined): One[] {
  const keepers = new Map<string, One>();
  for (const one of all) {
    const key = keyOf(one);
    const keeper = key === undefined ? undefined : keepers.get(key);
    if (key !== undefined && (!keeper || claimOf(one) > claimOf(keeper))) keepers.set(key, one);
  }
  return all.filter((one) => {
    const key = keyOf(one);
    return key === undefined || keepers.get(key) === one;
  });
}

/** By type and id. What nobody knows the id of is not taken for another. */
export function thingOf({ type, id }: Billable): string | undefined {
  return id === undefined || unresolvedFingerprint(id) !== undefined ? undefined : `${type} ${id}`;
}

/** How good its claim is: an entry of its own, and one that stays. */
function claimOf({ createdWith, isReplaced }: Billable): number {
  return (createdWith === undefined ? 2 : 0) + (isReplaced ? 0 : 1);
}
