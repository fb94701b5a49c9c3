import {
  BadRequestError,
  ForbiddenError,
  NotFoundError,
  OperationUnavailableError,
  OutcomeUnknownError,
} from "../../client";
import { refusalIn } from "../../service";
import { pollBackoff } from "../../shared/backoff";
import { messageOf } from "../../shared/messageOf";
import { inQuotes } from "../../shared/shell";
import { callFor } from "../context";
import type { Endable, Operation } from "../definition";
import {
  EndRefusedError,
  NotYetListedError,
  type SharedList,
  showCost,
  UnprovenAbsenceError,
  type Values,
  type View,
  WaitFailedError,
  WaitTimeoutError,
} from "../model";
import { EndWatch, isAnothers, looksAtEnd, type Sighting } from "./endWatch";
import { findOrProveGone } from "./gone";
import { progress } from "./ready";
import { saysItIsGone } from "./saysItIsGone";
import { waitUntil } from "./wait";

/** After this long without any sign of an effect, a request to end something is sent again: ending twice is ending once. */
export const patience = 10_000;
/** The same where the service has refused, at first. */
const patienceWhenRefused = 4000;
/** How often the service may refuse to end what it goes on listing. Until that is ready, as often as there is time for. */
const mostRefusals = 3;
/** What the service said to a request to end something. Anything but acceptance is a claim, and the list decides. */
type Answer =
  | { kind: "accepted" }
  /** `isGone`: in words that say that there is nothing to end. */
  | { kind: "refused"; error: Error; isGone: boolean }
  | { kind: "unavailable" | "unknown"; error: Error };

export interface Ending {
  /**
   * Asked when the service has accepted the end and the record shows that it is under way: whether somebody else waits for the
   * rest of it.
   */
  handOver?: ((view: View | undefined) => boolean) | undefined;
}

/**
 * Ends something and waits until it no longer bills: its record says so, or it is proven to be gone. `state` is what the
 * state has of it.
 */
export async function endAndWait(
  operation: Operation,
  what: Endable,
  id: string,
  state: Values = {},
  { handOver }: Ending = {},
): Promise<void> {
  const { clock, lists, memory } = operation.runtime;
  const list = lists.of(what.kind);
  const begunAt = clock.now();
  const { label } = state;
  const latest = await list.latest().catch(() => undefined);
  // What has ended is not told to end: its id may be another's by now.
  if (latest?.ended(id, label)) return;
  const listed = latest?.isUnreadable(id) ? undefined : latest?.find(id, label);
  if (listed && isAnothers({ ...operation, state }, listed)) return;
  // Of these requests may know any.
  const names = latest?.namesOf(id, label) ?? [id];
  let acceptedAs: string | undefined;
  let wasNotFound = false;
  let wasUnderWay = false;
  const noteUnderWay = () => {
    wasUnderWay = true;
  };
  for (let refusals = 0; ; ) {
    const since = list.cursor();
    const name = names[0] ?? id;
    const answer = await send(operation, what, name);
    if (answer.kind === "accepted") {
      acceptedAs = name;
      memory.noteEnding(what.type, id);
    }
    const isAccepted = acceptedAs !== undefined;
    const looks = wasUnderWay ? looksAtEnd : 1;
    const watched = { state, before: listed, since, begunAt, looks, isAccepted, answer, handOver, noteUnderWay };
    const seen = await watch(operation, list, id, watched).catch(ifUnlisted);
    if (answer.kind === "unavailable" || (answer.kind === "refused" && !mayBeTooEarly(what, seen))) refusals += 1;
    if (seen === "ended" || seen === "handed over") return;
    if (seen === "absent") {
      // Acceptance is a claim, too: it counts if the machine was seen on its way out.
      if (isAccepted && wasUnderWay) return;
      if (acceptedAs !== undefined && saysGone(await send(operation, what, acceptedAs))) {
        // It was heeded, and may still be on its way out.
        const again = { ...watched, since: list.cursor(), looks: looksAtEnd };
        const later = await watch(operation, list, id, again).catch(ifUnlisted);
        if (later === "absent" || later === "ended" || later === "handed over") return;
        continue;
      }
      const isSaid = isAccepted || saysGone(answer);
      const isKnown = wasNotFound && isNotFound(answer);
      try {
        if ((await findOrProveGone(operation, what, id, state, { isSaid, isKnown })) === "gone") return;
      } catch (error) {
        // That there is no such thing a gateway may say for a moment. It counts if it is said again after as long as lists may lag.
        if (!(error instanceof NotYetListedError) || !isNotFound(answer)) throw error;
        wasNotFound = true;
      }
    }
    if (seen === "unlisted" && (isAccepted || isWordOfService(answer, refusals))) return;
    if (!isAccepted && refusals >= mostRefusals) {
      throw finalError(operation, answer, seen);
    }
    if (clock.now() >= operation.deadline) throw new WaitTimeoutError(`it did not end in time${reasonOf(answer)}`);
    if (seen === "unlisted") await clock.sleep(patienceWhenRefused);
    // Nothing came of it: perhaps the service knows it by another of its names here.
    names.push(...names.splice(0, 1));
  }
}

async function send(operation: Operation, { terminate, holdsData }: Endable, id: string): Promise<Answer> {
  const { runtime, deadline, isUndoing } = operation;
  const refused = (error: Error, reason: string): Answer => {
    return { kind: "refused", error, isGone: saysItIsGone(reason, { id, isVolume: holdsData === true }) };
  };
  try {
    const answer = await terminate?.(runtime.client, id, holdsData && !isUndoing ? callFor(operation) : { deadline });
    const refusal = refusalIn(answer?.body);
    return refusal === undefined ? { kind: "accepted" } : refused(new EndRefusedError(refusal), refusal);
  } catch (error) {
    if (error instanceof OutcomeUnknownError) return { kind: "unknown", error };
    if (error instanceof OperationUnavailableError) return { kind: "unavailable", error };
    if (error instanceof BadRequestError || error instanceof ForbiddenError || error instanceof NotFoundError)
      return refused(error, error.reason);
    throw error;
  }
}

function reasonOf(answer: Answer): string {
  return answer.kind === "accepted" ? "" : `: ${messageOf(answer.error)}`;
}

/** Whether it is not ready, so that what the service refuses now it may accept later. A volume may never be ready, and refuse for other reasons. */
function mayBeTooEarly({ holdsData }: Endable, seen: View | string): boolean {
  return !holdsData && typeof seen === "object" && (seen.phase === "pending" || seen.phase === "unrecognized");
}

/** What it says where the service goes on listing what it refuses to end. */
function finalError({ urn }: Operation, answer: Answer, seen: View | string): Error {
  if (answer.kind === "unavailable") return answer.error;
  const bills = typeof seen === "object" && seen.costPerHour !== undefined ? ` and costs ${showCost(seen)}` : "";
  const still = typeof seen === "object" ? ` It is still ${seen.status}${bills}, and stays in the state.` : "";
  // The service may refuse because there is nothing left to end: only a person can tell.
  const wayOut =
    answer.kind === "refused" && typeof seen === "object" && seen.phase === "failed"
      ? ` Look in the service's console whether it is billed. If it is not, take it out of the state with \`pulumi state delete ${inQuotes(urn)}\`.`
      : "";
  return new WaitFailedError(
    `the service does not terminate it${reasonOf(answer).replace(/\.$/, "")}.${still}${wayOut}`,
  );
}

/** Where the service has no list, only its word can be had. */
function ifUnlisted(error: unknown): "unlisted" {
  if (error instanceof OperationUnavailableError) return "unlisted";
  throw error;
}

/** Whether the service has said often enough, in words about the machine itself, that there is nothing to end. */
function isWordOfService(answer: Answer, refusals: number): boolean {
  return refusals >= mostRefusals && saysGone(answer);
}

/** Whether the service says, in words about the machine itself, that there is nothing to end. */
function saysGone(answer: Answer): boolean {
  return answer.kind === "refused" && answer.isGone;
}

/** Whether it was answered 404: what was not even sent, for want of another name that lists would show, says nothing. */
function isNotFound(answer: Answer): boolean {
  return answer.kind === "refused" && answer.error instanceof NotFoundError && answer.error.status === 404;
}

interface Watch extends Ending {
  state: Values;
  /** Its record before it was told to end. */
  before: View | undefined;
  since: number;
  /** When it was first told to end. */
  begunAt: number;
  looks: number;
  isAccepted: boolean;
  answer: Answer;
  /** Called when a list shows that it is on its way out. */
  noteUnderWay(): void;
}

/** Watches what becomes of it: whatever runs on as if nothing had been said is told again. */
async function watch(
  operation: Operation,
  list: SharedList<unknown>,
  id: string,
  { state, before, since, begunAt, looks, isAccepted, answer, handOver, noteUnderWay }: Watch,
): Promise<Sighting | "handed over"> {
  const { noun, runtime } = operation;
  const { clock, random } = runtime;
  const now = clock.now();
  const isRefused = answer.kind === "refused" || answer.kind === "unavailable";
  const wait = isRefused ? pollBackoff(now - begunAt, patienceWhenRefused, random) : patience;
  const isGone = saysGone(answer);
  // An end that stood there before is no effect of the request. Where no list has shown that, the state has it.
  const statusBefore = before?.status ?? state["status"];
  const isEnd = (view: View) => isGone || (isAccepted && view.status !== statusBefore);
  const watched = new EndWatch({ id, state, noun, looks, isEnd, patientUntil: now + wait, runtime });
  return waitUntil<unknown, Sighting | "handed over">({
    operation,
    list,
    prompt: true,
    since,
    begunAt,
    judge: (snapshot) => {
      const verdict = watched.look(snapshot, clock.now());
      if (watched.isUnderWay) noteUnderWay();
      const isTaken = isAccepted && watched.isUnderWay;
      return isTaken && handOver?.(watched.last) ? { kind: "done", result: "handed over" } : verdict;
    },
    progress: (status, elapsed) => progress(status, elapsed, watched.last),
  }).catch((error: unknown) => {
    const isInTime = !(error instanceof WaitTimeoutError) || error instanceof UnprovenAbsenceError;
    if (isInTime || answer.kind !== "refused") throw error;
    throw new WaitTimeoutError(`${error.message}${reasonOf(answer)}`, { cause: error });
  });
}
