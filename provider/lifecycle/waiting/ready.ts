import { showDuration } from "../../shared/duration";
import { isPort } from "../../shared/sshHosts";
import { clearStatus, showStatus } from "../context";
import type { Operation } from "../definition";
import { type SharedList, type Snapshot, type SshEndpoint, showCost, type View, WaitTimeoutError } from "../model";
import { type Verdict, waitUntil } from "./wait";

/** Waits until the record says that the thing can be used. */
export async function waitUntilReady<Item>(
  operation: Operation,
  list: SharedList<Item>,
  find: (snapshot: Snapshot<Item>) => View | undefined,
  { view, isUnlisted, needsAddress }: Awaited,
): Promise<View> {
  const { clock, settings } = operation.runtime;
  let last: View | undefined;
  // One that is new may take its time to be listed. What was there before must not be missing for longer than lists lag.
  let listedAt = isUnlisted ? undefined : clock.now();
  return waitUntil({
    operation,
    list,
    prompt: view.phase === "ready",
    status: view.status,
    judge: (snapshot) => {
      const found = find(snapshot);
      if (found) [last, listedAt] = [found, clock.now()];
      else if (listedAt !== undefined && clock.now() - listedAt > settings.listLagMs) {
        return {
          kind: "failed",
          reason: `${operation.noun} ${view.id} is no longer listed: it was terminated outside this stack. \`pulumi up --refresh\` creates a new one`,
        };
      }
      const verdict = readiness(operation, found ?? last);
      const silent = needsAddress && verdict.kind === "done" && sshEndpoints(verdict.result).length === 0;
      return silent ? { kind: "pending", status: `${verdict.result.status} without an ssh address` } : verdict;
    },
    progress: (status, elapsed) => progress(status, elapsed, last ?? view),
  });
}

interface Awaited {
  /** As far as it is known. */
  view: View;
  /** Whether no list may have shown it so far. */
  isUnlisted: boolean;
  /** Whether it is of use only with an ssh endpoint. */
  needsAddress: boolean;
}

/** A fresh one may be missing from a list that lags behind; a status nobody has heard of is an error that names it. */
export function readiness(operation: Operation, view: View | undefined): Verdict<View> {
  if (!view) return { kind: "pending", status: "not listed" };
  switch (view.phase) {
    case "ready":
      return { kind: "done", result: view };
    case "pending":
      return { kind: "pending", status: view.status };
    case "unrecognized":
      return {
        kind: "failed",
        reason: `${operation.noun} ${view.id} has the unknown status "${view.status}"`,
      };
    case "failed":
      return { kind: "failed", reason: `${operation.noun} ${view.id} changed to ${view.status}` };
    default:
      return { kind: "failed", reason: `${operation.noun} ${view.id} is ${view.status}: it ended before it was ready` };
  }
}

function sshEndpoints(view: View): SshEndpoint[] {
  return (view.ssh ?? []).filter(({ port }) => isPort(port));
}

/** `Pending 3m10s, 8×h100 in us-central-1, $19.92/h` */
export function progress(status: string, elapsed: number, view: View | undefined): string {
  const place = [view?.size, view?.region && `in ${view.region}`].filter(Boolean).join(" ");
  return [`${status} ${showDuration(elapsed)}`, place, view && showCost(view)].filter(Boolean).join(", ");
}

const sshAttempt = 5000;
const sshPause = 1000;

/** Waits until every ssh endpoint greets like an ssh server. */
export async function waitUntilSshAnswers(operation: Operation, view: View): Promise<void> {
  const { clock, greetsSsh } = operation.runtime;
  const startedAt = clock.now();
  const endpoints = sshEndpoints(view);
  if (endpoints.length === 0) {
    throw new WaitTimeoutError(
      `${operation.noun} ${view.id} has no ssh address, so waitForSsh and waitForGpus cannot succeed`,
    );
  }
  let shown = false;
  for (const { host, port } of endpoints) {
    while (!(await greetsSsh(host, port, Math.min(sshAttempt, Math.max(1, operation.deadline - clock.now()))))) {
      const elapsed = clock.now() - startedAt;
      if (clock.now() + sshPause >= operation.deadline) {
        if (shown) clearStatus(operation);
        throw new WaitTimeoutError(
          `${view.status}, but ssh on ${host}:${port} did not answer within ${showDuration(elapsed)}`,
        );
      }
      shown = true;
      showStatus(operation, progress(`${view.status}, waiting for ssh`, elapsed, view));
      await clock.sleep(sshPause);
    }
  }
  if (shown) clearStatus(operation);
}
