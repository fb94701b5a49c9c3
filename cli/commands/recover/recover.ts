import { RefusedError, type Runtime, showDuration } from "../../../provider/lifecycle";
import { readTimestamp } from "../../../provider/service";
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
import { type Adoption, planAdoption } from "./adopt";
import { openInputsOf } from "./decryptedInputs";
import { hintsAtLeftovers } from "./orphanHints";
import type { Search } from "./outcome";
import { type Decision, planFrom, planPending, refuseForeign, sortPending } from "./plan";
import { programInputs } from "./programInputs";
import { releaseAbandoned, replaceState } from "./replaceState";

export interface RecoverOptions {
  dryRun: boolean;
  force: boolean;
  adopt?: { id: string; urn: string } | undefined;
  /** Lines of the result. */
  say(line: string): void;
  /** What is being done, where it takes a while. */
  note(line: string): void;
}

/** What is near to being ready is waited for this long. A machine that takes longer is left to the next `pulumi up`. */
const patience = 60_000;

/** Settles what a killed run has left behind. Says nothing where nothing is to be done. */
export async function recover(stack: Stack, options: RecoverOptions): Promise<void> {
  // First of all, because it fails where there is no such stack.
  const state = await stack.exportState();
  const activity = await readActivity(stack);
  if (activity.is === "busy") throw new RefusedError(`refused, and nothing was changed: ${activity.reason}.`);
  const openInputs = await openInputsOf(stack, state);
  const pending = sortPending(state, openInputs);
  if (!options.force) refuseForeign(pending);
  const isIdle = pending.ours.length === 0 && pending.foreignCreates.length === 0 && !options.adopt;
  if (isIdle) return finishIdle(stack, state, activity, options);

  const runtime = await runtimeOf(stack, state);
  const search = searchIn(runtime, activity, options);
  const adopted = pending.ours.find(
    ({ operation, subject }) => operation.type === "creating" && subject.resource.urn === options.adopt?.urn,
  );
  const rest = { ...pending, ours: pending.ours.filter((one) => one !== adopted) };
  const organization = organizationOf(state, await stack.name());
  const decisions: Decision[] = [];
  if (options.adopt) {
    const adoption: Adoption = { ...options.adopt, force: options.force };
    const decision = await planAdoption(search, adoption, {
      state,
      pending: adopted?.subject,
      programInputs: (urn) => programInputs(stack, urn),
      openInputs,
      organization,
    });
    if (decision) decisions.push(decision);
  }
  decisions.push(...(await notingDelay(search, options, () => planPending(search, state, rest))));
  await carryOut(stack, { state, runtime, organization }, decisions, options);
}

async function carryOut(
  stack: Stack,
  { state, runtime, organization }: { state: State; runtime: Runtime; organization: string },
  decisions: readonly Decision[],
  { dryRun, say }: RecoverOptions,
): Promise<void> {
  if (decisions.length === 0) return;
  const { lines, after } = planFrom(state, decisions);
  const copy = dryRun ? undefined : await replaceState(stack, state, after);
  for (const line of lines) say(line);
  for (const hint of await hintsAtLeftovers(runtime, after, organization)) say(hint);
  say(copy === undefined ? "Dry run: nothing was changed." : `The state as it was before: ${copy}`);
}

/** Nothing is pending. A killed run may still have left a lock, or a machine that nobody recorded. */
async function finishIdle(
  stack: Stack,
  state: State,
  activity: Activity,
  { dryRun, say }: RecoverOptions,
): Promise<void> {
  if (activity.is === "abandoned") {
    const runs = activity.locks.map(({ owner, pid, since }) => `${owner} (pid ${pid}, begun ${since})`).join(", ");
    if (!dryRun) await releaseAbandoned(stack);
    say(`The lock of a run that was killed is ${dryRun ? "to be released" : "released"}: ${runs}.`);
  }
  if (!resourcesOf(state).some(({ type }) => type === dynamicProviderType)) return;
  const organization = organizationOf(state, await stack.name());
  const runtime = await runtimeOf(stack, state).catch(() => undefined);
  for (const hint of runtime ? await hintsAtLeftovers(runtime, state, organization) : []) say(hint);
}

/** Says why it takes a while, when it does. */
async function notingDelay<Result>(
  { runtime }: Search,
  { note }: RecoverOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const window = showDuration(runtime.settings.reconcileSeconds * 1000);
  const text = `gpufleet: looking for what was made: lists may lag behind by ${window}, and what is nearly ready is waited for`;
  const timer = setTimeout(() => note(text), 3000);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

/** With the state's ids noted, so that nothing that it has is taken for what was lost. */
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
    activity.is === "abandoned" ? activity.locks.map(({ since }) => readTimestamp(since) ?? Number.NaN) : [];
  return {
    runtime,
    until: runtime.clock.now() + runtime.settings.reconcileSeconds * 1000,
    since: begun.length > 0 ? Math.min(...begun) : undefined,
    patience: dryRun ? 0 : patience,
  };
}
