import { gatesOf } from "../../shared/fleetNames";
import { readLabel } from "../../shared/label";
import { readOrigin } from "../../shared/urn";
import type { Endable, Operation } from "../definition";
import { originKey, type Values } from "../model";
import { endAndWait } from "./end";

/**
 * Ends something and waits until it no longer bills; except that a member whose whole fleet is being deleted waits only until
 * the service has taken its end. The rest is waited for by the fleet's second gate, for all members together: the engine runs
 * only a few deletes at a time.
 */
export async function endOrHandOver(operation: Operation, what: Endable, id: string, state: Values): Promise<void> {
  const { memory } = operation.runtime;
  const gate = await secondGateOf(operation, state);
  const handed = { type: what.type, id, name: operation.name, state };
  return endAndWait(operation, what, id, state, {
    handOver: gate === undefined ? undefined : (view) => memory.handOver(gate, { ...handed, view }),
  });
}

/**
 * The gate that will be deleted after this member, in this very run. There is one only if the state holds it under the very name
 * that this member knows it by, and the first gate, which is deleted before any member, is gone and not in the program: whoever
 * scales down or replaces still has it. And only if the member has the label by which the gate finds it after a kill, and leaves
 * the state now: what a refresh ends stays in it, and so does the gate. A run with `--target` or `--exclude` may delete the first
 * gate, as a dependent of a member, and leave the second as it is; where it is not known whether it does, the member waits.
 */
async function secondGateOf(operation: Operation, state: Values): Promise<string | undefined> {
  const { runtime, stack, urn, marks, isDelete } = operation;
  const { memory } = runtime;
  const gates = isDelete ? gatesOf(urn) : undefined;
  const label = typeof state["label"] === "string" ? readLabel(state["label"]) : undefined;
  if (!gates || label?.stack !== marks.stack || label.resource !== marks.resource) return undefined;
  if (memory.isInProgram(gates.ready) || memory.isInProgram(gates.ended)) return undefined;
  const entries = await runtime.state.entries(stack);
  const isThere = (gate: string) => entries?.some((entry) => entry.urn === gate) ?? false;
  if (isThere(gates.ready) && !memory.wasGateDeleted(gates.ready)) return undefined;
  const second = entries?.find((entry) => entry.urn === gates.ended);
  if (!second || readOrigin(second.outputs[originKey]).urn !== gates.ended) return undefined;
  return (await runtime.engine.scope()) === "whole" ? gates.ended : undefined;
}
