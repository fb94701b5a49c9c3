import {
  clearStatus,
  type Operation,
  type ResourceDefinition,
  type Snapshot,
  showSum,
  type Verdict,
  WaitTimeoutError,
  waitUntil,
  waitUntilGpusAnswer,
  waitUntilSshAnswers,
} from "../../lifecycle";
import { showDuration } from "../../shared/duration";
import { memberUrn } from "../../shared/fleetNames";
import { messageOf } from "../../shared/messageOf";
import { costsOf, countReady, describeMembers, hasFailed, isReady, type Member } from "./members";

export interface FleetWait {
  /** What the members are. */
  definition: ResourceDefinition;
  /** How many of them will do; all, if left out. */
  minCount: number | undefined;
  /** All members, as this list shows them. */
  look(snapshot: Snapshot<unknown>): Member[];
  /** Whether to wait for this one. */
  isAwaited(member: Member): boolean;
}

/** How long the others are waited for when enough are ready. */
const graceMs = 60_000;

/**
 * Waits until the awaited members are ready, or as many as will do, with one shared list per tick for all. What keeps the fleet from
 * ever coming up is told at once.
 */
export async function waitForMembers(operation: Operation, wait: FleetWait): Promise<void> {
  const { clock, lists, settings } = operation.runtime;
  const { look, isAwaited, minCount } = wait;
  const { kind, type } = wait.definition;
  const patience = clock.now() + settings.listLagMs;
  const rows = new MemberRows(operation, type);
  let members: Member[] = [];
  let enoughAt: number | undefined;
  let listsPending = false;
  // A fresh one may be missing from lists that lag behind, but not for ever, unless the service lists only what runs.
  const isLost = (member: Member) => hasFailed(member) || (!member.view && listsPending && clock.now() > patience);
  const judge = (snapshot: Snapshot<unknown>): Verdict<void> => {
    members = look(snapshot);
    listsPending ||= members.some(({ view }) => view?.phase === "pending");
    rows.clear(members.filter(isReady));
    const open = members.filter((member) => isAwaited(member) && !isReady(member));
    const lost = open.filter(isLost);
    if (open.length === 0) return { kind: "done", result: undefined };
    const ready = members.filter(isReady).length;
    if (ready + open.length - lost.length < (minCount ?? ready + open.length)) {
      const short = minCount === undefined ? "" : `, and minCount is ${minCount}`;
      const reason = `${lost.length} of ${members.length} failed${short}: ${describeMembers(lost)}`;
      return { kind: "failed", reason };
    }
    if (minCount !== undefined && ready >= minCount) {
      enoughAt ??= clock.now();
      if (open.length === lost.length || clock.now() - enoughAt >= graceMs) return { kind: "done", result: undefined };
    }
    return { kind: "pending", status: countReady(kind, members) };
  };
  try {
    await waitUntil({
      operation,
      list: lists.of(kind),
      prompt: true,
      judge,
      progress: (status, elapsed) => `${status}, ${showDuration(elapsed)}, ${showSum(costsOf(members))}`,
    });
  } catch (error) {
    const late = members.filter((member) => isAwaited(member) && !isReady(member));
    if (!(error instanceof WaitTimeoutError) || late.length === 0) throw error;
    throw new WaitTimeoutError(`${error.message}: ${describeMembers(late)}`, { cause: error });
  }
}

/** The rows of the members, which say since their creation that they are waited for. */
class MemberRows {
  private readonly cleared = new Set<string>();

  constructor(
    private readonly operation: Operation,
    private readonly type: string,
  ) {}

  clear(ready: readonly Member[]): void {
    const { memory } = this.operation.runtime;
    for (const { name, id } of ready) {
      if (this.cleared.has(name)) continue;
      this.cleared.add(name);
      if (!memory.wasMadeHere(this.type, id)) continue;
      clearStatus({ ...this.operation, urn: memberUrn(this.operation.urn, this.type, name) });
    }
  }
}

/** Waits until ssh answers on all of these, which are ready. */
export async function waitForGreetings(operation: Operation, members: readonly Member[]): Promise<void> {
  const greetings = members.map(async ({ name, view }) => {
    if (!view) return;
    try {
      await waitUntilSshAnswers({ ...operation, noun: "rental" }, view);
    } catch (error) {
      if (!(error instanceof WaitTimeoutError)) throw error;
      throw new WaitTimeoutError(`${name}: ${error.message}`, { cause: error });
    }
  });
  await Promise.all(greetings);
  clearStatus(operation);
}

interface Problem {
  name: string;
  error: unknown;
}

/** Waits until the GPUs of all of these are there, side by side; those of which they are not, with the reason. */
export async function waitForGpusOf(
  operation: Operation,
  type: string,
  members: readonly Member[],
): Promise<Problem[]> {
  const waits = members.map(async ({ name, view }): Promise<Problem[]> => {
    try {
      if (view) await waitUntilGpusAnswer(operation, type, view);
      return [];
    } catch (error) {
      return [{ name, error }];
    }
  });
  return (await Promise.all(waits)).flat();
}

const mostProblems = 5;

export function describeProblems(problems: readonly Problem[]): string {
  const named = problems.slice(0, mostProblems).map(({ name, error }) => `${name}: ${messageOf(error)}`);
  const more = problems.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}
