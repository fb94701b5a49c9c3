import { showDuration } from "../../shared/duration";
import { readTimestamp } from "../../shared/timestamp";
import type { OperationContext } from "../definition";
import type { SharedList, Snapshot, View } from "../model";
import { waitUntil } from "./wait";

interface Lookup<Item> {
  find(snapshot: Snapshot<Item>): View | undefined;
  /** Whether an earlier list is known to have shown it. */
  wasListed(): boolean;
  /** Whether it matters to know now: what is made anew although it is there would be paid for twice. */
  worthWaiting: boolean;
}

/** For the last look to come through, where lists fail at times. */
const lastLooks = 60_000;

/**
 * What has become of something that two lists in a row did not show. A list may lag behind a create, so what is fresh is gone
 * only on evidence: earlier lists had it, and this one shows something younger. Without evidence it is looked for until the
 * time has passed by which any list must have it.
 */
export async function confirmGone<Item>(
  context: OperationContext<Record<string, unknown>>,
  list: SharedList<Item>,
  latest: Snapshot<Item>,
  lookup: Lookup<Item>,
): Promise<View | "gone" | "unverifiable"> {
  const { clock, settings } = context.runtime;
  const createdAt = readTimestamp(context.inputs["createdAt"]) ?? Number.NEGATIVE_INFINITY;
  const listedBy = createdAt + settings.listLagMs;
  const isGone = (snapshot: Snapshot<Item>) =>
    clock.now() >= listedBy || (lookup.wasListed() && snapshot.newestTime() > createdAt);
  if (isGone(latest)) return "gone";
  if (!lookup.worthWaiting) return "unverifiable";
  return waitUntil<Item, View | "gone">({
    operation: context,
    list,
    since: latest.sequence,
    deadline: listedBy + lastLooks,
    judge: (snapshot) => {
      const view = lookup.find(snapshot);
      if (view) return { kind: "done", result: view.phase === "ended" ? "gone" : view };
      return isGone(snapshot) ? { kind: "done", result: "gone" } : { kind: "pending", status: "not listed" };
    },
    progress: (status, elapsed) =>
      `${status} for ${showDuration(elapsed)}; a list may lag behind, so it is looked for again`,
  });
}
