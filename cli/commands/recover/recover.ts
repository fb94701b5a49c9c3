import { RefusedError, type Runtime } from "../../../provider/lifecycle";
import { showDuration } from "../../../provider/shared/duration";
import { atOtherAddress, identityOf, inOtherAccount, listHoldings, refuseMisplaced } from "../../account";
import {
  type Activity,
  commandRuntime,
  dynamicProviderType,
  gpufleetType,
  organizationOf,
  otherStacksOf,
  readActivity,
  resourcesOf,
  type Stack,
  type State,
  witnessOf,
} from "../../stack";
import { statusLine } from "../../terminal";
import { planAdoption } from "./adopt";
import { decryptedInputsOf, type ReadInputs } from "./decryptedInputs";
import { planNothingMade, unresolvedNotes } from "./nothingMade";
import { hintsAboutOrphans } from "./orphanHints";
import type { Search } from "./outcome";
import { type Decision, type Pending, planFrom, planPending, refuseForeign, sortPending } from "./plan";
import { programInputs } from "./programInputs";
import { releaseAbandonedLocks, replaceState } from "./replaceState";

export interface RecoverOptions {
  dryRun: boolean;
  force: boolean;
  /** What a person says of one create. */
  settle?: Settlement | undefined;
  /** Prints a line of the result. */
  say(line: string): void;
}

export type Settlement =
  /** This machine is what it has created. */
  { kind: "adopt"; id: string; urn: string } | { kind: "nothingMade"; urn: string };

/** How long to wait for a machine to be ready. One that takes longer is left to the next `pulumi up`. */
const readyTimeout = 60_000;

const nothingToRecover = "Nothing to recover.";

/** Brings what interrupted runs created into the state. */
export async function recover(stack: Stack, options: RecoverOptions): Promise<void> {
  // First of all, because it fails where there is no such stack.
  const state = await stack.exportState();
  const activity = await readActivity(stack);
  if (activity.kind === "busy") throw new RefusedError(`refused, and nothing was changed: ${activity.reason}.`);
  const readInputs = await decryptedInputsOf(stack, state);
  const pending = sortPending(state, readInputs);
  if (!options.force) refuseForeign(pending);
  if (pending.ours.length === 0 && pending.foreignCreates.length === 0 && !options.settle) {
    return finishWithoutPending(stack, state, activity, options);
  }
  const runtime = await openRuntime(stack, state);
  try {
    await refuseOtherAccount(runtime, state);
    await reserveHeldElsewhere(runtime, stack, state, pending);
    const decisions = await decide(stack, { state, pending, readInputs, runtime }, options);
    await apply(stack, { state, runtime }, decisions, options);
  } finally {
    await runtime.client.close();
  }
}

interface Found {
  state: State;
  pending: Pending;
  readInputs: ReadInputs;
  runtime: Runtime;
}

async function decide(
  stack: Stack,
  { state, pending, readInputs, runtime }: Found,
  { settle, force, dryRun }: RecoverOptions,
): Promise<Decision[]> {
  const search: Search = { runtime, readyTimeout: dryRun ? 0 : readyTimeout };
  const settled = pending.ours.find(
    ({ operation, managed }) => operation.type === "creating" && managed.resource.urn === settle?.urn,
  );
  const rest = { ...pending, ours: pending.ours.filter((one) => one !== settled) };
  const decisions: Decision[] = [];
  if (settle?.kind === "adopt") {
    const decision = await planAdoption(
      search,
      { id: settle.id, urn: settle.urn, force },
      {
        state,
        pending: settled?.managed,
        programInputs: (urn) => programInputs(stack, urn),
        readInputs,
        organization: organizationOf(state, await stack.name()),
      },
    );
    if (decision) decisions.push(decision);
  }
  if (settle?.kind === "nothingMade") {
    const { urn } = settle;
    decisions.push(...(await planNothingMade(runtime, { state, urn, pending: settled?.managed, force })));
  }
  const until = runtime.clock.now() + runtime.settings.listLagMs;
  const waitFor = () => describeWait(until - runtime.clock.now());
  return [...decisions, ...(await statusLine.during(waitFor, () => planPending(search, state, rest)))];
}

async function apply(
  stack: Stack,
  { state, runtime }: Pick<Found, "state" | "runtime">,
  decisions: readonly Decision[],
  { dryRun, settle, say }: RecoverOptions,
): Promise<void> {
  if (decisions.length === 0) {
    say(settle?.kind === "adopt" ? `Nothing to recover: ${settle.id} is already in the state.` : nothingToRecover);
    return;
  }
  const { lines, after } = planFrom(state, decisions);
  const copy = dryRun ? undefined : await replaceState(stack, state, after);
  for (const line of lines) say(line);
  const organization = organizationOf(state, await stack.name());
  for (const hint of await hintsAboutOrphans(runtime, after, organization)) say(hint);
  say(copy === undefined ? "Dry run: nothing was changed." : `Copy of the previous state: ${copy}`);
}

/** Nothing is pending. A killed run may still have left a lock, or a machine that nobody recorded. */
async function finishWithoutPending(
  stack: Stack,
  state: State,
  activity: Activity,
  { dryRun, say }: RecoverOptions,
): Promise<void> {
  const lines: string[] = [];
  if (activity.kind === "abandoned") {
    const runs = activity.locks.map(({ owner, pid, since }) => `${owner} (pid ${pid}, started ${since})`).join(", ");
    if (!dryRun) await releaseAbandonedLocks(stack);
    lines.push(`${dryRun ? "Would release" : "Released"} the lock of a killed run: ${runs}.`);
  }
  lines.push(...unresolvedNotes(state), ...(await findOrphans(stack, state)));
  for (const line of lines.length > 0 ? lines : [nothingToRecover]) say(line);
}

/** None where the service cannot be reached: nothing is pending, so this is only a hint. */
async function findOrphans(stack: Stack, state: State): Promise<string[]> {
  if (!resourcesOf(state).some(({ type }) => type === dynamicProviderType)) return [];
  const runtime = await openRuntime(stack, state).catch((error: unknown) => {
    if (error instanceof RefusedError) throw error;
    return undefined;
  });
  if (!runtime) return [];
  try {
    return await hintsAboutOrphans(runtime, state, organizationOf(state, await stack.name()));
  } finally {
    await runtime.client.close();
  }
}

function describeWait(left: number): string {
  return left > 0
    ? `Waiting until the lists can no longer lag (${showDuration(left)} left)…`
    : "Waiting for what was found to be ready…";
}

/** Remembers the ids of the state, so that nothing that it has is taken for what was lost. */
async function openRuntime(stack: Stack, state: State): Promise<Runtime> {
  const others = otherStacksOf(stack, async () => identityOf(state, await stack.name(), stack.place));
  const runtime = commandRuntime(await stack.readConfig(), process.env, witnessOf(state, others));
  refuseMisplaced(atOtherAddress(state, runtime.service));
  for (const resource of resourcesOf(state)) {
    const type = gpufleetType(resource);
    if (type !== undefined && resource.id !== undefined) runtime.memory.remember(type, resource.id, resource.urn);
  }
  return runtime;
}

async function refuseOtherAccount(runtime: Runtime, state: State): Promise<void> {
  const { lists } = await listHoldings(runtime);
  refuseMisplaced(inOtherAccount(state, runtime, lists));
}

/** What another stack of the backend has cannot be what an interrupted create of this one has created. */
async function reserveHeldElsewhere(runtime: Runtime, stack: Stack, state: State, { ours }: Pending): Promise<void> {
  if (!ours.some(({ operation }) => operation.type === "creating")) return;
  const identity = await identityOf(state, await stack.name(), stack.place);
  for (const { type, id } of await runtime.state.elsewhere(identity)) runtime.memory.claim(type, id);
}
