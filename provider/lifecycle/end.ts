import { BadRequestError, NotFoundError, OperationUnavailableError, OutcomeUnknownError } from "../client";
import { WaitTimeoutError } from "./errors";
import { progress } from "./ready";
import type { Kind, SharedList, Snapshot } from "./sharedList";
import type { View } from "./view";
import { type Verdict, waitUntil } from "./wait";
import type { Work } from "./work";

/** After this long without any sign that a lost request to end something had an effect, it is sent again: ending twice is ending once. */
const patience = 10_000;

/** Ends something and waits until it no longer bills. What is gone already is fine. */
export async function endAndWait<Item>(
  work: Work<unknown>,
  kind: Kind<Item>,
  id: string,
  end: () => Promise<unknown>,
): Promise<void> {
  const list = work.runtime.lists.of(kind);
  for (;;) {
    const since = list.mark();
    const sent = await send(end);
    if (sent.outcome === "gone") return;
    if (sent.outcome === "unavailable" && (await isGone(list, id))) return;
    if (sent.outcome === "unavailable") throw sent.error;
    const waitMore = sent.outcome === "accepted" ? work.deadline : work.runtime.clock.now() + patience;
    try {
      return await waitUntilGone(work, list, id, since, Math.min(waitMore, work.deadline), sent.outcome === "accepted");
    } catch (error) {
      if (error instanceof OperationUnavailableError && sent.outcome === "accepted") return;
      const again = error instanceof WaitTimeoutError && work.runtime.clock.now() < work.deadline;
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
    if (isAlreadyEnded(error)) return { outcome: "gone" };
    if (error instanceof OutcomeUnknownError) return { outcome: "unknown", error };
    if (error instanceof OperationUnavailableError) return { outcome: "unavailable", error };
    throw error;
  }
}

/** The service itself says that there is nothing to end. A page of a proxy that says "not found" does not count. */
function isAlreadyEnded(error: unknown): boolean {
  if (error instanceof NotFoundError) return !error.fromPage;
  return error instanceof BadRequestError && /already (terminated|deleted|ended)|not found/i.test(error.reason);
}

async function isGone<Item>(list: SharedList<Item>, id: string): Promise<boolean> {
  try {
    const view = (await list.after(list.mark(), 0)).find(id);
    return view === undefined || view.phase === "ended";
  } catch (error) {
    if (error instanceof OperationUnavailableError) return false;
    throw error;
  }
}

function waitUntilGone<Item>(
  work: Work<unknown>,
  list: SharedList<Item>,
  id: string,
  since: number,
  deadline: number,
  accepted: boolean,
): Promise<void> {
  let absences = 0;
  let last: View | undefined;
  const judge = (snapshot: Snapshot<Item>): Verdict<void> => {
    const view = snapshot.find(id);
    last = view ?? last;
    if (view?.phase === "ended") return { is: "done", result: undefined };
    if (view) return { is: "pending", status: view.status };
    absences += 1;
    // One list may lag behind; where the service has not confirmed anything, it takes two.
    return accepted || absences > 1 ? { is: "done", result: undefined } : { is: "pending", status: "not listed" };
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
