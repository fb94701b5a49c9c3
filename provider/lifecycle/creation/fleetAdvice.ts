import { gatesOf, memberUrn, readMember } from "../../shared/fleetNames";
import { messageOf } from "../../shared/messageOf";
import { showPerHour } from "../../shared/money";
import { nameOf } from "../../shared/urn";
import { listOf } from "../context";
import { type RunningMember, runningMembers, showSum } from "../cost";
import type { OperationContext } from "../definition";
import { stateHolds } from "../holders";
import { type FleetFacts, isLive, PartialStateError, RefusedError } from "../model";
import { isCapacityRefusal } from "./regions";

const mostNamed = 10;
const mostTargets = 3;
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
  if (replacement === "create-first" && isForWantOfCapacity(error) && (await isReplacement(context))) {
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

/** Whether a machine runs that it is to take the place of: a refresh may have found that it is gone. */
async function isReplacement(context: OperationContext): Promise<boolean> {
  const held = context.runtime.memory.idsHeldFor(context.type, context.urn);
  if (held.length === 0) return false;
  const snapshot = await listOf(context)
    .latest()
    .catch(() => undefined);
  const mayRun = (id: string) => {
    if (!snapshot || snapshot.isUnreadable(id)) return true;
    const view = snapshot.find(id);
    return view !== undefined && isLive(view);
  };
  return held.some(mayRun);
}

function isForWantOfCapacity(error: unknown): boolean {
  return isCapacityRefusal(error) || (error instanceof RefusedError && isCapacityRefusal(error.cause));
}

async function whatBills(context: OperationContext, count: number): Promise<string> {
  const snapshot = await listOf(context)
    .fresh()
    .catch(() => undefined);
  const running = snapshot ? await runningMembers(context, snapshot) : [];
  if (running.length === 0) return "";
  const { fleet } = readMember(nameOf(context.urn)) ?? {};
  const named = running.slice(0, mostNamed).map(nameWithPrice);
  const more = running.length > mostNamed ? `, and ${running.length - mostNamed} more` : "";
  const bill = running.length === 1 ? "bills" : "bill";
  const sum = showSum(running.map(({ view }) => view));
  return `Of the fleet "${fleet}" of ${count}, ${running.length} ${bill} ${sum} so far: ${named.join(", ")}${more}. ${await waysOn(context, count, running)}`;
}

async function waysOn(context: OperationContext, count: number, running: readonly RunningMember[]): Promise<string> {
  const held = await Promise.all(running.map(({ view }) => stateHolds(context, view.id)));
  const loose = running.filter((_, index) => !held[index]);
  if (loose.length > 0) {
    const [is, them] = loose.length === 1 ? ["is", "it"] : ["are", "them"];
    const names = loose.slice(0, mostNamed).map(({ name }) => name);
    return `${names.join(", ")}${loose.length > mostNamed ? ", …" : ""} ${is} missing from the state, so \`pulumi destroy\` does not terminate ${them}: \`gpufleet recover\` adds what an interrupted run has left.`;
  }
  const ways = [
    "`pulumi up` tries the rest again",
    ...fewer(context, count, running),
    "`pulumi destroy` terminates all",
  ];
  return `${ways.join("; ")}.`;
}

/**
 * How to do with those that run. Members are counted from 0, and what cannot be rented may be among the first: then a smaller count
 * still asks for it, and the engine ends nothing in a run in which a create has failed. So those beyond the count must make room first.
 */
function fewer({ type, urn }: OperationContext, count: number, running: readonly RunningMember[]): string[] {
  const enough = Math.min(count, new Set(running.map(({ name }) => name)).size);
  const beyond = [...new Set(running.filter(({ index }) => index >= enough).map(({ name }) => name))];
  if (beyond.length === 0) return enough < count ? [`count: ${enough} does without them`] : [];
  if (beyond.length > mostTargets)
    return [`for a fleet of ${enough}, run \`pulumi up\` with count: 0, then with count: ${enough}`];
  const targets = beyond.map((name) => `--target '${memberUrn(urn, type, name)}'`).join(" ");
  return [
    `for a fleet of ${enough}, set count: ${enough}, make room with \`pulumi destroy ${targets} --target-dependents\`, then run \`pulumi up\``,
  ];
}

function nameWithPrice({ name, view }: RunningMember): string {
  const price = view.costPerHour === undefined ? "price unknown" : showPerHour(view.costPerHour);
  return `${name} (rental ${view.id}, ${price})`;
}
