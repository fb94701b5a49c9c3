import { gatesOf } from "../../shared/fleetNames";
import { readTimestamp } from "../../shared/timestamp";
import type { Endable, Operation } from "../definition";
import { type Phase, phaseOf, readWhereabouts, sinceKey, timeLimit, type Values } from "../model";

/** A create waits for it as long as that, and the next `up` goes on waiting. */
const creates = 2;

/**
 * Whether it is so fresh that no list may show it yet: some services list a machine only once it runs. What no list has shown since it was
 * created is not gone because lists lack it, unless a person says so.
 */
export async function isYetToBeListed(
  operation: Operation,
  what: Pick<Endable, "kind" | "recordId" | "timeouts">,
  id: string,
  state: Values,
): Promise<boolean> {
  const { client, lists, settings } = operation.runtime;
  const { kind, recordId, timeouts } = what;
  if (settings.confirmGone || recordId || lists.of(kind).hasShown(id)) return false;
  const where = readWhereabouts(state);
  const created = readTimestamp(state[sinceKey] ?? state["createdAt"]);
  const isPending = phaseOf(String(state["status"] ?? ""), kind.statuses) === "pending";
  if (!where || where.created !== undefined || !isPending || created === undefined) return false;
  const patience = creates * Math.max(timeLimit({ timeouts }, "create", state), timeLimit({ timeouts }, "create", {}));
  return (
    client.serviceNow() - created < patience && (await phaseAtGate(operation, kind.statuses, id)) === "unrecognized"
  );
}

/**
 * As what a fleet's gate has seen a member listed, or that it has terminated it; "unrecognized" where it has not. Their own entries do not
 * know of that before a refresh.
 */
export async function phaseAtGate(
  { runtime, stack, urn }: Operation,
  statuses: Parameters<typeof phaseOf>[1],
  id: string,
): Promise<Phase> {
  const gate = gatesOf(urn)?.ready;
  if (gate === undefined) return "unrecognized";
  const members = (await runtime.state.entries(stack))?.find((entry) => entry.urn === gate)?.outputs["members"];
  const member: Values = Array.isArray(members) ? Object(members.find((one) => Object(one).id === id)) : {};
  return phaseOf(String(member["status"]), statuses);
}
