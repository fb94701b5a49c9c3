import { RefusedError, type Runtime } from "../../../provider/lifecycle";
import { showDuration } from "../../../provider/shared/duration";
import { readTimestamp } from "../../../provider/shared/timestamp";
import {
  type Activity,
  createRuntime,
  dynamicProviderType,
  gpufleetType,
  organizationOf,
  readActivity,
  resourcesOf,
  type Stack,
  type State,
} from "../../stack";
import { statusLine } from "../../terminal";
import { planAdoption } from "./adopt";
import { decryptedInputsOf } from "./decryptedInputs";
import { hintsAboutOrphans } from "./orphanHints";
import type { Search } from "./outcome";
import { type Decision, planFrom, planPending, refuseForeign, sortPending } from "./plan";
import { programInputs } from "./programInputs";
import { releaseAbandonedLocks, replaceState } from "./replaceState";

export interface RecoverOptions {
  dryRun: boolean;
  force: boolean;
  adopt?: { id: string; urn: string } | undefined;
  /** Prints a line of the result. */
  say(line: string): void;
}

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
  if (pending.ours.length === 0 && pending.foreignCreates.length === 0 && !options.adopt) {
    return finishWithoutPending(stack, state, activity, options);
  }

  const runtime = await runtimeOf(stack, state);
  try {
    const search = searchIn(runtime, activity, options);
    const adopted = pending.ours.find(
      ({ operation, managed }) => operation.type === "creating" && managed.resource.urn === options.adopt?.urn,
    );
    const rest = { ...pending, ours: pending.ours.filter((one) => one !== adopted) };
    const organization = organizationOf(state, await stack.name());
    const decisions: Decision[] = [];
    if (options.adopt) {
      const adoption = { ...options.adopt, force: options.force };
      const decision = await planAdoption(search, adoption, {
        state,
        pending: adopted?.managed,
        programInputs: (urn) => programInputs(stack, urn),
        readInputs,
        organization,
      });
      if (decision) decisions.push(decision);
    }
    const waitFor = () => describeWait(search);
    decisions.push(...(await statusLine.during(waitFor, () => planPending(search, state, rest))));
    await apply(stack, { state, runtime, organization }, decisions, options);
  } finally {
    await runtime.client.close();
  }
}

async function apply(
  stack: Stack,
  { state, runtime, organization }: { state: State; runtime: Runtime; organization: string },
  decisions: readonly Decision[],
  { dryRun, adopt, say }: RecoverOptions,
): Promise<void> {
  if (decisions.length === 0) {
    say(adopt ? `Nothing to recover: ${adopt.id} is already in the state.` : nothingToRecover);
    return;
  }
  const { lines, after } = planFrom(state, decisions);
  const copy = dryRun ? undefined : await replaceState(stack, state, after);
  for (const line of lines) say(line);
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
  lines.push(...(await findOrphans(stack, state)));
  for (const line of lines.length > 0 ? lines : [nothingToRecover]) say(line);
}

/** None where the service cannot be reached: nothing is pending, so this is only a hint. */
async function findOrphans(stack: Stack, state: State): Promise<string[]> {
  if (!resourcesOf(state).some(({ type }) => type === dynamicProviderType)) return [];
  const runtime = await runtimeOf(stack, state).catch(() => undefined);
  if (!runtime) return [];
  try {
    return await hintsAboutOrphans(runtime, state, organizationOf(state, await stack.name()));
  } finally {
    await runtime.client.close();
  }
}

function describeWait({ runtime, until }: Search): string {
  const left = until - runtime.clock.now();
  return left > 0
    ? `Waiting until the lists can no longer lag (${showDuration(left)} left)…`
    : "Waiting for what was found to be ready…";
}

/** Remembers the ids of the state, so that nothing that it has is taken for what was lost. */
async function runtimeOf(stack: Stack, state: State): Promise<Runtime> {
  const runtime = createRuntime(await stack.readConfig());
  for (const resource of resourcesOf(state)) {
    const type = gpufleetType(resource);
    if (type !== undefined && resource.id !== undefined) runtime.memory.remember(type, resource.id, resource.urn);
  }
  return runtime;
}

function searchIn(runtime: Runtime, activity: Activity, { dryRun }: RecoverOptions): Search {
  const begun =
    activity.kind === "abandoned" ? activity.locks.map(({ since }) => readTimestamp(since) ?? Number.NaN) : [];
  return {
    runtime,
    until: runtime.clock.now() + runtime.settings.reconcileSeconds * 1000,
    since: begun.length > 0 ? Math.min(...begun) : undefined,
    readyTimeout: dryRun ? 0 : readyTimeout,
  };
}
