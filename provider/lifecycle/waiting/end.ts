import {
  BadRequestError,
  NotFoundError,
  OperationUnavailableError,
  OutcomeUnknownError,
  saysObjectIsMissing,
} from "../../client";
import { readTimestamp } from "../../service";
import type { Work } from "../model/context";
import { WaitTimeoutError } from "../model/errors";
import type { Kind, SharedList, Snapshot } from "../model/sharedList";
import type { View } from "../model/view";
import { progress } from "./ready";
import { type Verdict, waitUntil } from "./wait";

/** After this long without any sign that a lost request to end something had an effect, it is sent again: ending twice is ending once. */
const patience = 10_000;

/**
 * Ends something and waits until it no longer bills. What is gone already is fine. `createdAt` is when it was made, as far
 * as that is known: a fresh one may be missing from lists that lag behind, and is not gone for that.
 */
export async function endAndWait<Item>(
  work: Work<unknown>,
  kind: Kind<Item>,
  id: string,
  end: () => Promise<unknown>,
  createdAt?: unknown,
): Promise<void> {
  const { clock, lists, settings } = work.runtime;
  const list = lists.of(kind);
  const oldEnough = (readTimestamp(createdAt) ?? Number.NEGATIVE_INFINITY) + settings.reconcileSeconds * 1000;
  for (;;) {
    const since = list.mark();
    const sent = await send(end);
    if (sent.outcome === "gone") return;
    const accepted = sent.outcome === "accepted";
    const mayBeMissing = () => accepted || clock.now() >= oldEnough;
    if (sent.outcome === "unavailable") {
      if (mayBeMissing() && (await isGone(list, id))) return;
      throw sent.error;
    }
    const deadline = accepted ? work.deadline : Math.min(clock.now() + patience, work.deadline);
    try {
      return await waitUntilGone(work, list, id, { since, deadline, accepted, mayBeMissing });
    } catch (error) {
      if (error instanceof OperationUnavailableError && accepted) return;
      const again = error instanceof WaitTimeoutError && clock.now() < work.deadline;
      if (!again) throw error;
    }
  }
}

type Sent = { outcome: "accepted" | "gone" } | { outcome: "unknown" | "unavailable"; error: Error };

async function send(end: () => Promise<unknown>): Promise<Sent> {
  try {
    await end();
    return { outcome: "accepted" };
  } catch (error) {
    if (isNotFound(error)) return { outcome: "gone" };
    // It is on its way out, and bills until it has got there.
    if (error instanceof BadRequestError && /already/i.test(error.reason) && saysObjectIsMissing(error.reason)) {
      return { outcome: "accepted" };
    }
    if (error instanceof OutcomeUnknownError) return { outcome: "unknown", error };
    if (error instanceof OperationUnavailableError) return { outcome: "unavailable", error };
    throw error;
  }
}

/** The service itself says that there is nothing to end. A page of a proxy that says "not found" does not count. */
function isNotFound(error: unknown): boolean {
  if (error instanceof NotFoundError) return !error.fromPage;
  return error instanceof BadRequestError && /not found/i.test(error.reason) && saysObjectIsMissing(error.reason);
}

/** Whether two lists lack it: one alone may lag behind. */
async function isGone<Item>(list: SharedList<Item>, id: string): Promise<boolean> {
  try {
    const first = await list.after(list.mark(), 0);
    const view = first.find(id) ?? (await list.after(first.sequence, 0)).find(id);
    return view === undefined || view.phase === "ended";
  } catch (error) {
    if (error instanceof OperationUnavailableError) return false;
    throw error;
  }
}

interface Ending {
  since: number;
  deadline: number;
  /** Whether the service has confirmed that it ends. */
  accepted: boolean;
  /** Whether a list that lacks it says anything. */
  mayBeMissing: () => boolean;
}

function waitUntilGone<Item>(
  work: Work<unknown>,
  list: SharedList<Item>,
  id: string,
  { since, deadline, accepted, mayBeMissing }: Ending,
): Promise<void> {
  let absences = 0;
  let last: View | undefined;
  const judge = (snapshot: Snapshot<Item>): Verdict<void> => {
    const view = snapshot.find(id);
    last = view ?? last;
    if (view?.phase === "ended") return { is: "done", result: undefined };
    if (view) return { is: "pending", status: view.status };
    if (mayBeMissing()) absences += 1;
    // One list may lag behind; where the service has not confirmed anything, it takes two.
    return absences > (accepted ? 0 : 1) ? { is: "done", result: undefined } : { is: "pending", status: "not listed" };
  };
  return waitUntil({
    work,
    list,
    prompt: true,
    since,
    deadline,
    judge,
    progress: (status, elapsed) => progress(status, elapsed, last),
  });
}
