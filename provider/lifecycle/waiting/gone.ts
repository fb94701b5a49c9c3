import { byNumber } from "../../shared/byNumber";
import type { Endable, Operation } from "../definition";
import { heldRecords } from "../holders";
import {
  isSameAccount,
  NotYetListedError,
  RefusedError,
  type SharedList,
  unresolvedFingerprint,
  type Values,
  type View,
  whyForeign,
} from "../model";
import { findRecordOrProveAbsent } from "./missing";
import { isYetToBeListed, phaseAtGate } from "./unlisted";

/**
 * What has become of something that a list lacks: its record, if a later list shows it, or "gone" if that is proven. Silence
 * proves nothing by itself: neither from another account, nor when much vanishes at once, nor of what no list has shown yet. `isSaid`: the
 * service itself has said that there is none; `isKnown`: lists have shown it.
 */
export async function findOrProveGone(
  operation: Operation,
  what: Pick<Endable, "kind" | "type" | "recordId" | "timeouts">,
  id: string,
  state: Values,
  { isSaid = false, isKnown = false }: { isSaid?: boolean; isKnown?: boolean } = {},
): Promise<View | "gone"> {
  const list = operation.runtime.lists.of(what.kind);
  const found = await findRecordOrProveAbsent(operation, list, { id, label: state["label"] });
  const foreign = found && whyForeign(state, operation.runtime.service, operation.noun, found);
  if (foreign) throw new RefusedError(`${foreign}. Nothing was changed.`);
  if (found) return found.phase === "ended" ? "gone" : found;
  await refuseOtherAccount(operation, list, state, id);
  if (!isSaid && !isKnown && (await isYetToBeListed(operation, what, id, state))) {
    throw new NotYetListedError(
      `${operation.noun} ${id} is not listed yet: the service may list it only once it runs, so it does not count as gone. Run this again later; or, if it is gone, with GPUFLEET_CONFIRM_GONE=1.`,
    );
  }
  // Of each that it was asked to end the service itself has said that there is none: that is more than silence.
  if (!isSaid) await refuseMassVanishing(operation, list, what, id);
  operation.runtime.memory.noteEnding(what.type, id);
  return "gone";
}

/** Concludes that what lists lack for certain is gone, where nothing but its id is known of it. Not when much vanishes at once. */
export async function concludeGone(
  operation: Operation,
  what: Pick<Endable, "kind" | "type" | "recordId" | "timeouts">,
  id: string,
): Promise<void> {
  const { lists, memory } = operation.runtime;
  await refuseMassVanishing(operation, lists.of(what.kind), what, id);
  memory.noteEnding(what.type, id);
}

/** Refuses to conclude from the lists of one account what has become of something of another. */
export async function refuseOtherAccount(
  { noun, runtime }: Operation,
  list: SharedList<unknown>,
  state: Values,
  name: string,
): Promise<void> {
  const { service, settings } = runtime;
  const { kind } = list;
  if (settings.confirmGone || isSameAccount(state, service, (await list.latest()).views())) return;
  throw new RefusedError(
    `${noun} ${name} is not listed at ${service.addresses[kind.base]}, but the API key is not the one with which it was last seen or requested: it may be the key of another account, so it does not count as gone. Use a key of the account that rented it; or, if it is gone, run this again with GPUFLEET_CONFIRM_GONE=1.`,
  );
}

const mostNamed = 10;

/**
 * All of two or more, or half of four or more, that the state holds: rather the service's mistake than the truth. What is yet to be listed
 * is missing for another reason.
 */
async function refuseMassVanishing(
  operation: Operation,
  list: SharedList<unknown>,
  what: Pick<Endable, "kind" | "type" | "recordId" | "timeouts">,
  id: string,
): Promise<void> {
  const { type, kind } = what;
  const { memory, settings } = operation.runtime;
  if (settings.confirmGone) return;
  const isOpen = (one: string) => unresolvedFingerprint(one) === undefined && !memory.isEnding(type, one);
  if (await isTerminatedAtGate(operation, what, id)) return;
  const snapshot = await list.latest();
  const excused = await excusedIds(operation, what, (one) => !snapshot.has(one));
  const held = [...new Set([...(await heldRecords(operation, what)), id])]
    .filter(isOpen)
    .filter((one) => one === id || !excused.has(one));
  const missing = held.filter((one) => !snapshot.has(one)).sort(byNumber);
  const isMass =
    missing.length >= 2 && (missing.length === held.length || (held.length >= 4 && missing.length * 2 >= held.length));
  if (!isMass) return;
  const named = missing.slice(0, mostNamed).join(", ") + (missing.length > mostNamed ? ", …" : "");
  throw new RefusedError(
    `${missing.length} of the ${held.length} ${kind.plural} in this stack's state are missing from the service's list at once (${named}). That may be a mistake of the service, or the API key of another account, so none of them counts as gone. If they are gone, run this again with GPUFLEET_CONFIRM_GONE=1.`,
  );
}

/** Of what the state holds and lists lack, what is yet to be listed, or was terminated by its fleet. */
async function excusedIds(
  operation: Operation,
  what: Pick<Endable, "kind" | "type" | "recordId" | "timeouts">,
  isMissing: (id: string) => boolean,
): Promise<Set<string>> {
  const entries = (await operation.runtime.state.entries(operation.stack)) ?? [];
  const missing = entries.filter(({ type, id }) => type === what.type && isMissing(id));
  const ids = missing.map(async ({ id, urn, outputs }) =>
    (await isTerminatedAtGate({ ...operation, urn }, what, id)) ||
    (await isYetToBeListed({ ...operation, urn }, what, id, outputs))
      ? id
      : [],
  );
  return new Set((await Promise.all(ids)).flat());
}

/** Whether its fleet has terminated it, for its price. */
async function isTerminatedAtGate(operation: Operation, { kind }: Pick<Endable, "kind">, id: string): Promise<boolean> {
  return (await phaseAtGate(operation, kind.statuses, id)) === "ended";
}
