import { showDuration } from "./duration";
import { WaitTimeoutError } from "./errors";
import { showPerHour } from "./money";
import type { SharedList, Snapshot } from "./sharedList";
import { isPort, type View } from "./view";
import { type Verdict, waitUntil } from "./wait";
import { showStatus, type Work } from "./work";

/** Waits until the record says that the thing can be used. */
export async function waitUntilReady<Item>(
  work: Work<unknown>,
  list: SharedList<Item>,
  find: (snapshot: Snapshot<Item>) => View | undefined,
  { prompt }: { prompt: boolean },
): Promise<View> {
  let last: View | undefined;
  return waitUntil({
    work,
    list,
    prompt,
    judge: (snapshot) => {
      last = find(snapshot) ?? last;
      return readiness(work, last);
    },
    progress: (status, elapsed) => progress(status, elapsed, last),
  });
}

/** A fresh one may be missing from a list that lags behind; a status nobody has heard of is an error that names it. */
export function readiness(work: Work<unknown>, view: View | undefined): Verdict<View> {
  if (!view) return { is: "pending", status: "not listed" };
  switch (view.phase) {
    case "ready":
      return { is: "done", result: view };
    case "pending":
      return { is: "pending", status: view.status };
    case "unheard":
      return { is: "failed", reason: `${work.noun} ${view.id} has the status "${view.status}", which is unknown here` };
    case "failed":
      return { is: "failed", reason: `${work.noun} ${view.id} went to ${view.status}` };
    default:
      return { is: "failed", reason: `${work.noun} ${view.id} is ${view.status}: it was ended by someone else` };
  }
}

/** `Pending 3m10s, 8×h100 in us-central-1, $19.92/h` */
export function progress(status: string, elapsed: number, view: View | undefined): string {
  const place = [view?.size, view?.region && `in ${view.region}`].filter(Boolean).join(" ");
  const cost = view?.costPerHour === undefined ? "" : showPerHour(view.costPerHour);
  return [`${status} ${showDuration(elapsed)}`, place, cost].filter(Boolean).join(", ");
}

const sshAttempt = 5000;
const sshPause = 1000;

/** Waits until every ssh endpoint greets like an ssh server. */
export async function waitUntilSshAnswers(work: Work<unknown>, view: View): Promise<void> {
  const { clock, greetsSsh } = work.runtime;
  const startedAt = clock.now();
  const endpoints = (view.ssh ?? []).filter(({ port }) => isPort(port));
  if (endpoints.length === 0) {
    throw new WaitTimeoutError(`${work.noun} ${view.id} has no ssh endpoint, so waitForSsh cannot be satisfied`);
  }
  for (const { host, port } of endpoints) {
    while (!(await greetsSsh(host, port, Math.min(sshAttempt, Math.max(1, work.deadline - clock.now()))))) {
      const elapsed = clock.now() - startedAt;
      if (clock.now() + sshPause >= work.deadline) {
        throw new WaitTimeoutError(
          `${view.status}, but ssh on ${host}:${port} did not answer within ${showDuration(elapsed)}`,
        );
      }
      showStatus(work, progress(`${view.status}, waiting for ssh`, elapsed, view));
      await clock.sleep(sshPause);
    }
  }
}
