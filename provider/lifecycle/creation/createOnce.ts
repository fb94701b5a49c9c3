import { OperationUnavailableError, OutcomeUnknownError } from "../../client";
import { showDuration } from "../../shared/duration";
import { callFor, listOf } from "../context";
import type { OperationContext } from "../definition";
import {
  beforeKey,
  type LifecycleInputs,
  lostAtKey,
  messageOf,
  PartialStateError,
  RefusedError,
  type SharedList,
  type Snapshot,
  unresolvedId,
  type View,
  WaitTimeoutError,
} from "../model";
import { waitUntil } from "../waiting";
import { describe, fingerprintOf, hasOwnMark, isFree } from "./ownership";
import { firstRegionWithCapacity } from "./regions";
import { ambiguity, outcomesOf, takeResolved } from "./unresolved";

/**
 * A create that survives a crash, on a service without idempotency keys. The rule: take over a machine only on proof, and
 * rent one only when none of ours may already be running.
 */
export async function createOnce(context: OperationContext<LifecycleInputs>): Promise<View> {
  const list = listOf(context);
  const before = await lookBefore(list, hasOwnMark(context));
  const resolved = await takeResolved(context, before);
  if (resolved) return resolved;
  const left = before && leftOver(context, before);
  if (left) throw new RefusedError(refusal(context, left));
  if (before) warnOfNamesake(context, before);
  return firstRegionWithCapacity(context, async (inputs) => {
    const attempt = { ...context, inputs };
    const key = `${context.type} ${fingerprintOf(attempt)}`;
    return context.runtime.memory.whilePosting(key, () => postOnce(attempt, { list, before, key }));
  });
}

/**
 * The list before the request. An automatic label tells its own machine apart in any list; without one, what was there
 * before must be known exactly. Undefined where the service has no such list.
 */
async function lookBefore(list: SharedList<unknown>, any: boolean): Promise<Snapshot<unknown> | undefined> {
  try {
    return any ? await list.latest() : await list.fresh();
  } catch (error) {
    if (error instanceof OperationUnavailableError) return undefined;
    throw error;
  }
}

/** A live machine with this resource's mark that the state does not know. */
function leftOver(context: OperationContext, snapshot: Snapshot<unknown>): View | undefined {
  return snapshot.withMarks(context.marks).find((view) => isUnknown(context, view));
}

/** Whether the state knows neither its id nor its label: the one that is being replaced may not have come by with its id yet. */
function isUnknown(context: OperationContext, view: View): boolean {
  return isFree(context, view) && !context.runtime.memory.knowsLabel(view.label);
}

function refusal(context: OperationContext, view: View): string {
  return [
    `refused, and nothing was spent: ${describe(context, view)} bears the mark of this very resource, but this state does not know it.`,
    "If a run was interrupted, `gpufleet recover` brings it into the state.",
    "If the replacement was forced (--replace, or a taint), run it again with --refresh.",
    "If it belongs to another stack of the same name, set gpufleet:namespace for this one.",
  ].join(" ");
}

/** With a label that a person chose, nobody can tell a machine left over from one that merely has the same name. */
function warnOfNamesake(context: OperationContext<LifecycleInputs>, snapshot: Snapshot<unknown>): void {
  const { label } = context.inputs;
  if (!label || hasOwnMark(context)) return;
  for (const view of snapshot.withLabel(label).filter((namesake) => isUnknown(context, namesake))) {
    context.runtime.engine.warn(
      context.urn,
      `${describe(context, view)} has the label that is asked for here. If it is left over from an interrupted run, set adoptId to its id instead of renting another one.`,
    );
  }
}

interface Attempt {
  list: SharedList<unknown>;
  /** The list before the request, where the service has one. */
  before: Snapshot<unknown> | undefined;
  /** Creates with the same key could be mistaken for one another. */
  key: string;
}

/** Sends the request once. A reply that was lost is looked for; the request is never sent again. */
async function postOnce(context: OperationContext<LifecycleInputs>, attempt: Attempt): Promise<View> {
  const { definition, inputs, runtime, type } = context;
  if (!definition.post) throw new Error(`${type} has no request that makes it`);
  const since = attempt.list.cursor();
  try {
    const view = await definition.post(runtime.client, inputs, callFor(context));
    runtime.memory.claim(type, view.id);
    return view;
  } catch (error) {
    if (!(error instanceof OutcomeUnknownError)) throw error;
    return findOutcome(context, attempt, since, error);
  }
}

/** However little time is left, a lost reply is worth a look. */
const shortestLook = 10_000;

async function findOutcome(
  context: OperationContext<LifecycleInputs>,
  { list, before, key }: Attempt,
  since: number,
  lost: OutcomeUnknownError,
): Promise<View> {
  const { clock, memory, settings } = context.runtime;
  const fingerprint = fingerprintOf(context);
  const certain = hasOwnMark(context);
  const lostAt = clock.now();
  const idsBefore = idsIn(before);
  const asked = { ...context.inputs, fallbackRegions: undefined };
  let seen: View[] = [];
  try {
    return await waitUntil({
      operation: context,
      list,
      prompt: true,
      since,
      deadline: lostAt + Math.min(settings.listLagMs, Math.max(context.deadline - lostAt, shortestLook)),
      judge: async (snapshot) => {
        seen = await outcomesOf(context, snapshot, { fingerprint, idsBefore, asked });
        const [only, ...others] = seen;
        // Another create like this one, whose own reply is still to come, may have made what is seen.
        const alone = certain || memory.postingNow(key) <= 1;
        if (!only || others.length > 0 || !alone) return { kind: "pending", status: "not listed" };
        memory.claim(context.type, only.id);
        return { kind: "done", result: only };
      },
      progress: (_, elapsed) =>
        `the reply was lost; looking for "${fingerprint}" in the list (${showDuration(elapsed)})`,
    });
  } catch (error) {
    const doubt =
      seen.length > 0
        ? ambiguity(context, seen)
        : error instanceof WaitTimeoutError
          ? `nothing like "${fingerprint}" was listed within ${showDuration(clock.now() - lostAt)}`
          : messageOf(error).replace(/\.$/, "");
    throw new PartialStateError(
      `${lost.message} Whether it was made is unknown: ${doubt}. The next \`pulumi up\` looks again before it makes another one.`,
      unresolvedId(fingerprint),
      {
        status: "Unknown",
        [lostAtKey]: new Date(lostAt).toISOString(),
        ...(certain ? {} : { [beforeKey]: [...new Set([...idsBefore, ...memory.claimedOf(context.type)])] }),
      },
      { cause: lost },
    );
  }
}

function idsIn(snapshot: Snapshot<unknown> | undefined): string[] {
  return snapshot?.views().map(({ id }) => id) ?? [];
}
