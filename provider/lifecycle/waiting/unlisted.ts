import { gatesOf } from "../../shared/fleetNames";
import { readTimestamp } from "../../shared/timestamp";
import type { Endable, Operation } from "../definition";
import { phaseOf, readWhereabouts, sinceKey, timeLimit, type Values } from "../model";

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
  return client.serviceNow() - created < patience && !(await isKnownToGate(operation, kind.statuses, id));
}

/** A fleet's gate sees its members listed, and their own entries do not know of that before a refresh. */
async function isKnownToGate(
  { runtime, stack, urn }: Operation,
  statuses: Parameters<typeof phaseOf>[1],
  id: string,
): Promise<boolean> {
  const gate = gatesOf(urn)?.ready;
  if (gate === undefined) return false;
  const members = (await runtime.state.entries(stack))?.find((entry) => entry.urn === gate)?.outputs["members"];
  const isListed = (member: unknown) => {
    const { id: own, status }: Values = Object(member);
    return own === id && phaseOf(String(status), statuses) !== "unrecognized";
  };
  return Array.isArray(members) && members.some(isListed);
}
