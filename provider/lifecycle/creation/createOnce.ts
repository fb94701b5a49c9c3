import { type CallOptions, type Client, OperationUnavailableError, OutcomeUnknownError } from "../../client";
import { showDuration } from "../../shared/duration";
import { readLabel } from "../../shared/label";
import { callFor, type Work } from "../model/context";
import { messageOf, PartialStateError, RefusedError, WaitTimeoutError } from "../model/errors";
import type { Runtime } from "../model/runtime";
import type { Kind, SharedList, Snapshot } from "../model/sharedList";
import { beforeKey, lostAtKey, unresolvedId } from "../model/unresolvedId";
import { isLive, type View } from "../model/view";
import { waitUntil } from "../waiting/wait";
import { describe, differences } from "./ownership";
import { firstRegionWithCapacity } from "./regions";
import { ambiguity, settleDoubt } from "./unresolved";

/**
 * Creates that survive a crash, on a service without idempotency keys. The rule: take over a machine only on proof, and
 * rent one only when none of ours may already be running.
 */
export interface Ownership<Inputs extends OwnedInputs, Item> {
  kind: Kind<Item>;
  /** Sends the one request that makes it. */
  post(client: Client, inputs: Inputs, call: CallOptions): Promise<View>;
  /** Which listed things could have been made by that request. By the label where there is one. */
  candidates?(runtime: Runtime, snapshot: Snapshot<Item>, trace: string): Promise<View[]>;
  /** What stands in for a label where there is none, to name the outcome by. */
  trace?(inputs: Inputs): string;
}

export interface OwnedInputs {
  waitForReady: boolean;
  label?: string | undefined;
  region?: string | undefined;
  fallbackRegions?: string[] | undefined;
}

export async function createOwned<Inputs extends OwnedInputs, Item>(
  work: Work<Inputs>,
  ownership: Ownership<Inputs, Item>,
): Promise<View> {
  const { memory } = work.runtime;
  const list = work.runtime.lists.of(ownership.kind);
  const before = await lookBefore(list, bearsOwnMark(work));
  const settled = await settleDoubt(work, ownership, { trace: traceOf(ownership, work.inputs), now: before });
  if (settled) return settled;
  const left = before && leftOver(work, before);
  if (left) throw new RefusedError(refusal(work, left));
  if (before) warnOfNamesake(work, before);
  return firstRegionWithCapacity(work, async (inputs) => {
    const attempt = { ...work, inputs };
    const key = `${work.type} ${traceOf(ownership, inputs)}`;
    return memory.whilePosting(key, () => postOnce(attempt, ownership, { list, before, key }));
  });
}

function traceOf<Inputs extends OwnedInputs, Item>(ownership: Ownership<Inputs, Item>, inputs: Inputs): string {
  return inputs.label ?? ownership.trace?.(inputs) ?? "";
}

function bearsOwnMark(work: Work<OwnedInputs>): boolean {
  const marks = readLabel(work.inputs.label);
  return marks?.stack === work.marks.stack && marks.resource === work.marks.resource;
}

/**
 * The list before the request. An automatic label tells its own machine apart in any list; without one, what was there
 * before must be known exactly. Undefined where the service has no such list.
 */
async function lookBefore<Item>(list: SharedList<Item>, any: boolean): Promise<Snapshot<Item> | undefined> {
  try {
    return any ? await list.any() : await list.after(list.mark(), 0);
  } catch (error) {
    if (error instanceof OperationUnavailableError) return undefined;
    throw error;
  }
}

/** A live machine with this resource's mark that the state does not know. */
function leftOver<Item>(work: Work<OwnedInputs>, snapshot: Snapshot<Item>): View | undefined {
  const { memory } = work.runtime;
  return snapshot
    .withMarks(work.marks)
    .find((view) => isLive(view) && !memory.isClaimed(work.type, view.id) && !memory.knows(work.type, view));
}

function refusal(work: Work<OwnedInputs>, view: View): string {
  return [
    `refused, and nothing was spent: ${describe(work, view)} bears the mark of this very resource, but this state does not know it.`,
    "If a run was interrupted, `gpufleet recover` brings it into the state.",
    "If the replacement was forced (--replace, or a taint), run it again with --refresh.",
    "If it belongs to another stack of the same name, set gpufleet:namespace for this one.",
  ].join(" ");
}

/** With a label that a person chose, nobody can tell a machine left over from one that merely has the same name. */
function warnOfNamesake<Item>(work: Work<OwnedInputs>, snapshot: Snapshot<Item>): void {
  const { label } = work.inputs;
  const { memory } = work.runtime;
  if (!label || bearsOwnMark(work)) return;
  const namesakes = snapshot
    .withLabel(label)
    .filter((view) => isLive(view) && !memory.knows(work.type, view) && !memory.isClaimed(work.type, view.id));
  for (const view of namesakes) {
    work.runtime.engine.warn(
      work.urn,
      `${describe(work, view)} has the label that is asked for here. If it is left over from an interrupted run, set adoptId to its id instead of renting another one.`,
    );
  }
}

interface Attempt<Item> {
  list: SharedList<Item>;
  /** The list before the request, where the service has one. */
  before: Snapshot<Item> | undefined;
  /** Creates with the same key could be mistaken for one another. */
  key: string;
}

/** Sends the request once. A reply that was lost is looked for; the request is never sent again. */
async function postOnce<Inputs extends OwnedInputs, Item>(
  work: Work<Inputs>,
  ownership: Ownership<Inputs, Item>,
  attempt: Attempt<Item>,
): Promise<View> {
  const since = attempt.list.mark();
  try {
    const view = await ownership.post(work.runtime.client, work.inputs, callFor(work));
    work.runtime.memory.claim(work.type, view.id);
    return view;
  } catch (error) {
    if (!(error instanceof OutcomeUnknownError)) throw error;
    return findOutcome(work, ownership, attempt, since, error);
  }
}

/** However little time is left, a lost reply is worth a look. */
const shortestLook = 10_000;

async function findOutcome<Inputs extends OwnedInputs, Item>(
  work: Work<Inputs>,
  ownership: Ownership<Inputs, Item>,
  { list, before, key }: Attempt<Item>,
  since: number,
  lost: OutcomeUnknownError,
): Promise<View> {
  const { clock, memory, settings } = work.runtime;
  const trace = traceOf(ownership, work.inputs);
  const certain = bearsOwnMark(work);
  const lostAt = clock.now();
  const window = settings.reconcileSeconds * 1000;
  let seen: View[] = [];
  try {
    return await waitUntil({
      work,
      list,
      prompt: true,
      since,
      deadline: lostAt + Math.min(window, Math.max(work.deadline - lostAt, shortestLook)),
      judge: async (snapshot) => {
        seen = await outcomes(work, ownership, snapshot, before);
        const [only, ...others] = seen;
        // Another create like this one, whose own reply is still to come, may have made what is seen.
        const alone = certain || memory.postingNow(key) <= 1;
        if (!only || others.length > 0 || !alone) return { is: "pending", status: "not listed" };
        memory.claim(work.type, only.id);
        return { is: "done", result: only };
      },
      progress: (_, elapsed) => `the reply was lost; looking for "${trace}" in the list (${showDuration(elapsed)})`,
    });
  } catch (error) {
    const doubt =
      seen.length > 0
        ? ambiguity(work, seen)
        : error instanceof WaitTimeoutError
          ? `nothing like "${trace}" was listed within ${showDuration(clock.now() - lostAt)}`
          : messageOf(error).replace(/\.$/, "");
    throw new PartialStateError(
      `${lost.message} Whether it was made is unknown: ${doubt}. The next \`pulumi up\` looks again before it makes another one.`,
      unresolvedId(trace),
      {
        status: "Unknown",
        [lostAtKey]: new Date(lostAt).toISOString(),
        ...(certain ? {} : { [beforeKey]: notItsOutcome(work, before) }),
      },
      { cause: lost },
    );
  }
}

/** What was there before the request, or is known to be another's: where the label is no proof, this rules it out. */
function notItsOutcome<Item>(work: Work<unknown>, before: Snapshot<Item> | undefined): string[] {
  const listed = before?.views().map(({ id }) => id) ?? [];
  return [...new Set([...listed, ...work.runtime.memory.claimedOf(work.type)])];
}

/** What is listed now and may be the outcome of the request. */
async function outcomes<Inputs extends OwnedInputs, Item>(
  work: Work<Inputs>,
  ownership: Ownership<Inputs, Item>,
  snapshot: Snapshot<Item>,
  before: Snapshot<Item> | undefined,
): Promise<View[]> {
  const trace = traceOf(ownership, work.inputs);
  if (bearsOwnMark(work)) return snapshot.withLabel(trace).filter(isLive);
  const { memory } = work.runtime;
  const candidates = (await ownership.candidates?.(work.runtime, snapshot, trace)) ?? snapshot.withLabel(trace);
  return candidates.filter(
    (view) =>
      isLive(view) &&
      !before?.find(view.id) &&
      !memory.isClaimed(work.type, view.id) &&
      memory.ownerOf(work.type, view.id) === undefined &&
      differences(view, { ...work.inputs, fallbackRegions: undefined }).length === 0,
  );
}
