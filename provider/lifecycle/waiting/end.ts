import {
  BadRequestError,
  NotFoundError,
  OperationUnavailableError,
  OutcomeUnknownError,
  saysObjectIsMissing,
} from "../../client";
import { readTimestamp } from "../../shared/timestamp";
import type { Endable, Operation } from "../definition";
import { type SharedList, type Snapshot, type View, WaitTimeoutError } from "../model";
import { progress } from "./ready";
import { type Verdict, waitUntil } from "./wait";

/** After this long without any sign that a lost request to end something had an effect, it is sent again: ending twice is ending once. */
const patience = 10_000;

/**
 * Ends something and waits until it no longer bills. What is gone already is fine. `createdAt` is when it was made, as far
 * as that is known: a fresh one may be missing from lists that lag behind, and is not gone for that.
 */
export async function endAndWait(
  operation: Operation,
  { kind, terminate }: Endable,
  id: string,
  createdAt?: unknown,
): Promise<void> {
  const { client, clock, lists, settings } = operation.runtime;
  const list = lists.of(kind);
  const end = async () => terminate?.(client, id, { deadline: operation.deadline });
  const oldEnough = (readTimestamp(createdAt) ?? Number.NEGATIVE_INFINITY) + settings.listLagMs;
  for (;;) {
    const since = list.cursor();
    const sent = await send(end);
    if (sent.kind === "gone") return;
    const accepted = sent.kind === "accepted";
    const mayBeMissing = () => accepted || clock.now() >= oldEnough;
    if (sent.kind === "unavailable") {
      if (mayBeMissing() && (await isGone(list, id))) return;
      throw sent.error;
    }
    const deadline = accepted ? operation.deadline : Math.min(clock.now() + patience, operation.deadline);
    try {
      return await waitUntilGone(operation, list, id, { since, deadline, accepted, mayBeMissing });
    } catch (error) {
      if (error instanceof OperationUnavailableError && accepted) return;
      const again = error instanceof WaitTimeoutError && clock.now() < operation.deadline;
      if (!again) throw error;
    }
  }
}

type Sent = { kind: "accepted" | "gone" } | { kind: "unknown" | "unavailable"; error: Error };

async function send(end: () => Promise<unknown>): Promise<Sent> {
  try {
    await end();
    return { kind: "accepted" };
  } catch (error) {
    if (isNotFound(error)) return { kind: "gone" };
    // It is on its way out, and bills until it has got there.
    if (error instanceof BadRequestError && /already/i.test(error.reason) && saysObjectIsMissing(error.reason)) {
      return { kind: "accepted" };
    }
    if (error instanceof OutcomeUnknownError) return { kind: "unknown", error };
    if (error instanceof OperationUnavailableError) return { kind: "unavailable", error };
    throw error;
  }
}

/** The service itself says that there is nothing to end. A page of a proxy that says "not found" does not count. */
function isNotFound(error: unknown): boolean {
  if (error instanceof NotFoundError) return !error.fromPage;
  return error instanceof BadRequestError && /not found/i.test(error.reason) && saysObjectIsMissing(error.reason);
}

/** Whether two lists lack it: one alone may lag behind. */
async function isGone(list: SharedList<unknown>, id: string): Promise<boolean> {
  try {
    const first = await list.fresh();
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

function waitUntilGone(
  operation: Operation,
  list: SharedList<unknown>,
  id: string,
  { since, deadline, accepted, mayBeMissing }: Ending,
): Promise<void> {
  let absences = 0;
  let last: View | undefined;
  const judge = (snapshot: Snapshot<unknown>): Verdict<void> => {
    const view = snapshot.find(id);
    last = view ?? last;
    if (view?.phase === "ended") return { kind: "done", result: undefined };
    if (view) return { kind: "pending", status: view.status };
    if (mayBeMissing()) absences += 1;
    // One list may lag behind; where the service has not confirmed anything, it takes two.
    return absences > (accepted ? 0 : 1)
      ? { kind: "done", result: undefined }
      : { kind: "pending", status: "not listed" };
  };
  return waitUntil({
    operation,
    list,
    prompt: true,
    since,
    deadline,
    judge,
    progress: (status, elapsed) => progress(status, elapsed, last),
  });
}
