import { isDefaultProvider, RefusedError } from "../../../provider/lifecycle";
import { showDuration } from "../../../provider/shared/duration";
import { providerIn } from "../../../provider/shared/urn";
import {
  type Activity,
  isProviderType,
  organizationOf,
  partOf,
  readActivity,
  resourcesOf,
  type Stack,
  type State,
  type StateResource,
} from "../../stack";
import { statusLine } from "../../terminal";
import { planAdoption } from "./adopt";
import { decryptedInputsOf, type ReadInputs } from "./decryptedInputs";
import { currentOf } from "./newResource";
import { planNothingMade } from "./nothingMade";
import { closeAll, type OpenAccount, openAccounts, pendingIn, refuseOtherAccount, rememberState } from "./openAccounts";
import { gapNotes, hintsAboutOrphans } from "./orphanHints";
import type { Search } from "./outcome";
import { type Decision, type Pending, planFrom, planPending, refuseForeign, sortPending } from "./plan";
import { programInputs, programProvider } from "./programInputs";
import { releaseAbandonedLocks, replaceState } from "./replaceState";
import { isUnresolved } from "./unresolvedCreate";
import { noteUnasked, noteUnresolved } from "./unresolvedNotes";

export interface RecoverOptions {
  dryRun: boolean;
  force: boolean;
  /** What a person says of one create. */
  settle?: Settlement | undefined;
  /** What the commands that are written out need to work on the same stack. */
  place?: string | undefined;
  /** Prints a line of the result. */
  say(line: string): void;
}

export type Settlement =
  /** This machine is what it has created. */
  { kind: "adopt"; id: string; urn: string } | { kind: "nothingMade"; urn: string };

/** How long to wait for a machine to be ready. One that takes longer is left to the next `pulumi up`. */
const readyTimeout = 60_000;

const nothingToRecover = "Nothing to recover.";

/** Brings what interrupted runs created into the state. Returns whether it could look everywhere. */
export async function recover(stack: Stack, options: RecoverOptions): Promise<boolean> {
  // First of all, because it fails where there is no such stack.
  const state = await stack.exportState();
  const activity = await readActivity(stack);
  if (activity.kind === "busy") throw new RefusedError(`refused, and nothing was changed: ${activity.reason}.`);
  const readInputs = await decryptedInputsOf(stack, state);
  const pending = sortPending(state, readInputs);
  if (!options.force) refuseForeign(pending);
  if (pending.ours.length === 0 && pending.foreignCreates.length === 0 && !options.settle) {
    return finishWithoutPending(stack, { state, readInputs, activity }, options);
  }
  const { opened, notes } = await openAccounts(stack, state, pending);
  try {
    const settled = options.settle && (await accountOf(stack, state, opened, pending, options.settle.urn));
    const decisions: Decision[] = [];
    for (const [index, one] of opened.entries()) {
      const own = pendingIn(pending, one, index === 0);
      const settle = settled?.open === one ? options.settle : undefined;
      if (own.ours.length > 0 || settle) {
        rememberState(one);
        await refuseOtherAccount(one);
      }
      const found = { ...one, state, pending: own, readInputs, provider: settled?.provider };
      decisions.push(...(await decide(stack, found, { ...options, settle })));
    }
    const isComplete = await apply(stack, { state, opened, readInputs }, decisions, options);
    for (const note of notes) options.say(note);
    return isComplete;
  } finally {
    await closeAll(opened);
  }
}

/** The account of the resource that a person speaks of, and its provider where the engine has no record of it. */
async function accountOf(
  stack: Stack,
  state: State,
  opened: readonly OpenAccount[],
  { ours }: Pending,
  urn: string,
): Promise<{ open: OpenAccount | undefined; provider?: string | undefined }> {
  const resource = ours.find(({ managed }) => managed.resource.urn === urn)?.managed.resource ?? currentOf(state, urn);
  if (resource) return { open: opened.find(({ account }) => account.has(resource)) };
  const reference = opened.length > 1 ? await programProvider(stack, urn) : undefined;
  const provider = reference && providerIn(reference);
  const unrecorded = { urn, type: "", ...(reference && { provider: reference }) };
  return {
    open: opened.find(({ account }) => account.has(unrecorded)),
    provider: provider && !isDefaultProvider(provider) ? provider : undefined,
  };
}

interface Found extends OpenAccount {
  /** The whole state. */
  state: State;
  pending: Pending;
  readInputs: ReadInputs;
  /** Of the resource that a person speaks of. */
  provider: string | undefined;
}

async function decide(
  stack: Stack,
  { state, part, pending, readInputs, runtime, provider }: Found,
  { settle, force, dryRun, place }: RecoverOptions,
): Promise<Decision[]> {
  const search: Search = { runtime, readyTimeout: dryRun ? 0 : readyTimeout };
  const creates = pending.ours.filter(
    ({ operation, managed }) => operation.type === "creating" && managed.resource.urn === settle?.urn,
  );
  // A machine is the result of one create; that nothing was made is said of all.
  const settled = settle?.kind === "adopt" ? creates.slice(0, 1) : creates;
  const rest = { ...pending, ours: pending.ours.filter((one) => !settled.includes(one)) };
  const decisions: Decision[] = [];
  if (settle?.kind === "adopt") {
    const decision = await planAdoption(
      search,
      { id: settle.id, urn: settle.urn, force },
      {
        state: part,
        pending: settled[0]?.managed,
        provider,
        programInputs: (urn) => programInputs(stack, urn),
        readInputs,
        organization: organizationOf(state, await stack.name()),
        place,
      },
    );
    if (decision) decisions.push(decision);
  }
  if (settle?.kind === "nothingMade") {
    const { urn } = settle;
    const dropped = settled.map(({ managed }) => managed);
    decisions.push(...(await planNothingMade(runtime, { state, urn, pending: dropped, force })));
  }
  const until = runtime.clock.now() + runtime.settings.listLagMs;
  const waitFor = () => describeWait(until - runtime.clock.now());
  return [...decisions, ...(await statusLine.during(waitFor, () => planPending(search, state, rest)))];
}

async function apply(
  stack: Stack,
  { state, opened, readInputs }: { state: State; opened: readonly OpenAccount[]; readInputs: ReadInputs },
  decisions: readonly Decision[],
  { dryRun, settle, place, say }: RecoverOptions,
): Promise<boolean> {
  if (decisions.length === 0) {
    say(settle?.kind === "adopt" ? `Nothing to recover: ${settle.id} is already in the state.` : nothingToRecover);
    return true;
  }
  const { lines, after } = planFrom(state, decisions);
  const copy = dryRun ? undefined : await replaceState(stack, state, after);
  for (const line of lines) say(line);
  const organization = organizationOf(state, await stack.name());
  const unresolved = unresolvedIn(state).filter((one) =>
    resourcesOf(after).some(({ urn, id }) => urn === one.urn && id === one.id),
  );
  let isComplete = true;
  for (const one of opened) {
    const own = unresolved.filter((entry) => one.account.has(entry));
    for (const entry of own) say(await noteUnresolved(one.runtime, entry, readInputs));
    const found = await hintsIn(one, after, organization, place);
    for (const line of found.lines) say(line);
    isComplete &&= found.isComplete;
  }
  say(copy === undefined ? "Dry run: nothing was changed." : `Copy of the previous state: ${copy}`);
  return isComplete;
}

/** Nothing is pending. A killed run may still have left a lock, or a machine that nobody recorded. */
async function finishWithoutPending(
  stack: Stack,
  { state, readInputs, activity }: { state: State; readInputs: ReadInputs; activity: Activity },
  { dryRun, place, say }: RecoverOptions,
): Promise<boolean> {
  const lines: string[] = [];
  if (activity.kind === "abandoned") {
    const runs = activity.locks.map(({ owner, pid, since }) => `${owner} (pid ${pid}, started ${since})`).join(", ");
    if (!dryRun) await releaseAbandonedLocks(stack);
    lines.push(`${dryRun ? "Would release" : "Released"} the lock of a killed run: ${runs}.`);
  }
  const looked = await lookAround(stack, { state, readInputs }, place);
  lines.push(...looked.lines);
  for (const line of lines.length > 0 ? lines : [nothingToRecover]) say(line);
  return looked.isComplete;
}

function unresolvedIn(state: State): StateResource[] {
  return resourcesOf(state).filter(isUnresolved);
}

/** What was found in the account that no run has recorded, in words. */
interface Looked {
  lines: string[];
  /** Whether every list could be read. */
  isComplete: boolean;
}

async function lookAround(
  stack: Stack,
  { state, readInputs }: { state: State; readInputs: ReadInputs },
  place: string | undefined,
): Promise<Looked> {
  if (!resourcesOf(state).some(({ type }) => isProviderType(type))) return { lines: [], isComplete: true };
  const { opened, notes } = await openAccounts(stack, state);
  try {
    const lines: string[] = [];
    let isComplete = true;
    const asked = opened.filter(({ runtime }) => runtime.isConfigured);
    for (const one of asked) {
      rememberState(one);
      await refuseOtherAccount(one);
      const unresolved = unresolvedIn(one.part);
      for (const entry of unresolved) lines.push(await noteUnresolved(one.runtime, entry, readInputs));
      const found = await hintsIn(one, state, organizationOf(state, await stack.name()), place);
      lines.push(...found.lines);
      isComplete &&= found.isComplete;
    }
    const unasked = unresolvedIn(state).filter((entry) => !asked.some(({ account }) => account.has(entry)));
    const missing = opened.flatMap(({ runtime }) => (runtime.isConfigured ? [] : (runtime.missing ?? [])));
    return {
      lines: [...lines, ...unasked.map(noteUnasked), ...missing.map(notLookedAt), ...notes],
      isComplete: isComplete && missing.length === 0,
    };
  } finally {
    await closeAll(opened);
  }
}

function notLookedAt(missing: string): string {
  return `The account was not looked at: ${missing}`;
}

async function hintsIn(
  { account, runtime }: OpenAccount,
  state: State,
  organization: string,
  place = "",
): Promise<Looked> {
  const { namespaces } = account;
  const found = await hintsAboutOrphans(runtime, partOf(state, account), organization, { namespaces, place });
  return { lines: [...found.hints, ...gapNotes(found)], isComplete: found.failed.length === 0 };
}

function describeWait(left: number): string {
  return left > 0
    ? `Waiting until the lists can no longer lag (${showDuration(left)} left)…`
    : "Waiting for what was found to be ready…";
}
