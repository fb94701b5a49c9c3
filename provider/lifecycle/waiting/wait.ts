import { ConnectionError, RateLimitedError, ServerError, TimeoutError, UnreadableAnswerError } from "../../client";
import { pollBackoff } from "../../shared/backoff";
import { showDuration } from "../../shared/duration";
import { messageOf } from "../../shared/messageOf";
import { clearStatus, showStatus } from "../context";
import type { Operation } from "../definition";
import {
  beforeDeadline,
  DeadlinePassed,
  EngineGoneError,
  type SharedList,
  type Snapshot,
  WaitFailedError,
  WaitTimeoutError,
} from "../model";

/** What a look at the list says about the thing that is waited for. */
export type Verdict<Result> =
  | { kind: "done"; result: Result }
  /** With `soon`, the next look need not keep to the usual spacing. */
  | { kind: "pending"; status: string; soon?: boolean }
  | { kind: "failed"; reason: string };

export interface Wait<Item, Result> {
  operation: Operation;
  list: SharedList<Item>;
  /** Only lists requested after this cursor count; right now if left out. */
  since?: number;
  /** When to give up, by the clock: the deadline of the operation, if left out. */
  deadline?: number;
  judge(snapshot: Snapshot<Item>): Verdict<Result> | Promise<Verdict<Result>>;
  /** Whether it may well be done already, so that the first look need not keep to the usual spacing. */
  prompt?: boolean;
  /** Milliseconds between looks at first; two seconds if left out. */
  spacing?: number;
  /** The status as it is known before the first look. */
  status?: string | undefined;
  /** When the waiting began, by the clock, where this is only a part of it. */
  begunAt?: number;
  /** What the resource's row says while it is pending. */
  progress?(status: string, elapsed: number): string;
}

/** Of a look that should come soon: it is shared with everyone who looks in the same moment. */
const leastPromptSpacing = 200;
/** The longer a list, the more expensive it is: a thousand items take the service and this process a tenth of a second. */
const promptSpacingPerItem = 0.5;
const usualSpacing = 2000;
const askEngineEvery = 10_000;

/** Looks at the shared list until the judge is satisfied, says no, or the time is up. The one polling loop there is. */
export async function waitUntil<Item, Result>(wait: Wait<Item, Result>): Promise<Result> {
  let shown = false;
  const show = (text: string) => {
    shown = true;
    showStatus(wait.operation, text);
  };
  try {
    return await poll(wait, show);
  } finally {
    if (shown) clearStatus(wait.operation);
  }
}

async function poll<Item, Result>(wait: Wait<Item, Result>, show: (text: string) => void): Promise<Result> {
  const { list, operation } = wait;
  const { clock, engine, random } = operation.runtime;
  const deadline = wait.deadline ?? operation.deadline;
  const startedAt = clock.now();
  const begunAt = wait.begunAt ?? startedAt;
  let cursor = wait.since ?? list.cursor();
  let status = wait.status ?? "not listed";
  let trouble: unknown;
  let askedAt = startedAt;
  let isSoon = wait.prompt ?? false;
  for (;;) {
    try {
      const spacing = wait.spacing ?? usualSpacing;
      const gap = isSoon ? promptSpacing(list) : pollBackoff(clock.now() - startedAt, spacing, random);
      const snapshot = await beforeDeadline(clock, deadline, (signal) => list.after(cursor, gap, signal));
      cursor = snapshot.sequence;
      trouble = undefined;
      const verdict = await wait.judge(snapshot);
      if (verdict.kind === "done") return verdict.result;
      if (verdict.kind === "failed") throw new WaitFailedError(verdict.reason);
      status = verdict.status;
      isSoon = verdict.soon ?? false;
    } catch (error) {
      if (!(error instanceof DeadlinePassed)) {
        if (!list.wasHad || !mayPass(error)) throw error;
        trouble = error;
        isSoon = false;
        cursor = list.cursor();
      }
    }
    const now = clock.now();
    if (now >= deadline) {
      const because = trouble === undefined ? "" : becauseOf(trouble);
      throw new WaitTimeoutError(`still ${status} after ${showDuration(now - begunAt)}${because}`);
    }
    if (wait.progress)
      show(`${wait.progress(status, now - begunAt)}${trouble === undefined ? "" : becauseOf(trouble)}`);
    if (now - askedAt >= askEngineEvery) {
      askedAt = now;
      // Nobody would hear of the result any more.
      if ((await engine.ask()) === "gone") throw new EngineGoneError("gone");
    }
  }
}

function promptSpacing({ length }: SharedList<unknown>): number {
  return Math.min(usualSpacing, Math.max(leastPromptSpacing, length * promptSpacingPerItem));
}

function becauseOf(trouble: unknown): string {
  return `; the last poll failed: ${messageOf(trouble)}`;
}

/** Trouble that a later look may not have; but only where a list was had before: else the address, the key or the service is wrong. */
function mayPass(error: unknown): boolean {
  return [ServerError, RateLimitedError, TimeoutError, ConnectionError, UnreadableAnswerError].some(
    (type) => error instanceof type,
  );
}
