import { gatesOf } from "../../shared/fleetNames";
import { roundUsd, showPerHour } from "../../shared/money";
import { nameOf } from "../../shared/urn";
import { listOf } from "../context";
import { runningMembers } from "../cost";
import type { OperationContext } from "../definition";
import { type FleetFacts, messageOf, PartialStateError, RefusedError, type View } from "../model";
import { isCapacityRefusal } from "./regions";

const mostNamed = 10;
const toldNote = "told what bills";

/**
 * The error of a member that could not be rented, with what its fleet needs: which way of replacing helps where room is short, and,
 * once for all members, what of the fleet bills now. The gate, which knows that, does not run after such an error.
 */
export async function withFleetAdvice(
  context: OperationContext,
  { count, replacement }: FleetFacts,
  error: unknown,
): Promise<unknown> {
  if (error instanceof PartialStateError) return error;
  const { memory } = context.runtime;
  const advice: string[] = [];
  const isReplacement = memory.idsHeldFor(context.type, context.urn).length > 0;
  if (isReplacement && replacement === "create-first" && isForWantOfCapacity(error)) {
    advice.push(
      'The machine that it replaces still takes up room. With replacement: "delete-first" each member is terminated before its successor is rented, and with { batch: n } at most n at a time; the same helps to go back to what was there before.',
    );
  }
  const gate = gatesOf(context.urn)?.ready ?? context.urn;
  if (memory.noted(gate, toldNote) !== true) {
    memory.note(gate, toldNote, true);
    advice.push(await whatBills(context, count));
  }
  const told = advice.filter(Boolean).join(" ");
  return told ? new RefusedError(`${messageOf(error).replace(/\.$/, "")}. ${told}`, { cause: error }) : error;
}

function isForWantOfCapacity(error: unknown): boolean {
  return isCapacityRefusal(error) || (error instanceof RefusedError && isCapacityRefusal(error.cause));
}

async function whatBills(context: OperationContext, count: number): Promise<string> {
  const list = listOf(context);
  const snapshot = await list.after(list.cursor(), 0).catch(() => undefined);
  const running = snapshot ? runningMembers(context, snapshot, count) : [];
  if (running.length === 0) return "";
  const fleet = nameOf(context.urn).replace(/-\d+$/, "");
  const sum = roundUsd(running.reduce((total, { view }) => total + (view.costPerHour ?? 0), 0));
  const named = running.slice(0, mostNamed).map(nameWithPrice);
  const more = running.length > mostNamed ? `, and ${running.length - mostNamed} more` : "";
  return `Of the fleet "${fleet}" of ${count}, ${running.length} ${running.length === 1 ? "bills" : "bill"} ${showPerHour(sum)} so far: ${named.join(", ")}${more}. \`pulumi up\` tries the rest again; a smaller count does without them; \`pulumi destroy\` terminates all.`;
}

function nameWithPrice({ name, view }: { name: string; view: View }): string {
  const price = view.costPerHour === undefined ? "price unknown" : showPerHour(view.costPerHour);
  return `${name} (rental ${view.id}, ${price})`;
}
