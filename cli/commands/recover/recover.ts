import { RefusedError, type StackName } from "../../../provider/lifecycle";
import { identityOf } from "../../account";
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
  writtenAt,
} from "../../stack";
import { statusLine } from "../../terminal";
import { planAdoption } from "./adopt";
import { decryptedInputsOf, type ReadInputs } from "./decryptedInputs";
import { isSameEntry } from "./insertEntry";
import { planNothingMade } from "./nothingMade";
import { closeAll, type OpenAccount, openAccounts, pendingIn, refuseOtherAccount, rememberState } from "./openAccounts";
import { describeLag, gapNotes, type HintOptions, hintsAboutOrphans } from "./orphanHints";
import type { Search } from "./outcome";
import { type Decision, type Pending, planFrom, planPending, refuseForeign, sortPending } from "./plan";
import { type Program, programOf } from "./program";
import { releaseAbandonedLocks, replaceState } from "./replaceState";
import { type Settlement, type Subject, subjectsOf } from "./subject";
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
  const { opened, notes, isWhole } = await openAccounts(stack, state, pending);
  try {
    const program = programOf(stack);
    const known = { state, opened, notes, pending, program };
    const subjects = options.settle ? await subjectsOf(known, options.settle) : [];
    const decisions: Decision[] = [];
    for (const [index, one] of opened.entries()) {
      const own = pendingIn(pending, one, index === 0);
      const subject = subjects.find(({ open }) => open === one);
      if (own.ours.length > 0 || subject) {
        rememberState(one);
        await refuseOtherAccount(one);
      }
      const found = { ...one, state, opened, pending: own, readInputs, program, subject };
      decisions.push(...(await decide(stack, found, options)));
    }
    const isComplete = await apply(stack, { state, opened, readInputs }, decisions, options);
    for (const note of notes) options.say(note);
    return isComplete && isWhole;
  } finally {
    await closeAll(opened);
  }
}

interface Found extends OpenAccount {
  /** The whole state, and every account that has some of it. */
  state: State;
  opened: readonly OpenAccount[];
  pending: Pending;
  readInputs: ReadInputs;
  program: Program;
  /** What a person speaks of, if it is in this account. */
  subject: Subject | undefined;
}

async function decide(stack: Stack, found: Found, options: RecoverOptions): Promise<Decision[]> {
  const { state, pending, runtime, subject } = found;
  const search: Search = { runtime, readyTimeout: options.dryRun ? 0 : readyTimeout, stateTime: writtenAt(state) };
  const decisions = await settle(stack, search, found, options);
  const rest = { ...pending, ours: pending.ours.filter(({ managed }) => !subject?.creates.includes(managed)) };
  const until = runtime.clock.now() + runtime.settings.listLagMs;
  const waitFor = () => describeWait(until - runtime.clock.now());
  return [...decisions, ...(await statusLine.during(waitFor, () => planPending(search, state, rest)))];
}

/** What a person's word leads to. */
async function settle(
  stack: Stack,
  search: Search,
  { state, part, opened, readInputs, program, subject }: Found,
  { settle: said, force, place }: RecoverOptions,
): Promise<Decision[]> {
  if (!subject || !said) return [];
  const { creates, provider } = subject;
  const { urn } = said;
  if (said.kind === "nothingMade") {
    return planNothingMade(search.runtime, { state, part, urn, pending: creates, force });
  }
  const decision = await planAdoption(
    search,
    { id: said.id, urn, force },
    {
      ...{ state, part, pending: creates[0], provider, readInputs, place },
      listsWith: (entry) => opened.find(({ account }) => account.has(entry))?.runtime.lists,
      program,
      organization: await organizationOf(state, stack),
    },
  );
  return decision ? [decision] : [];
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
  const { lines, after } = planFrom(state, decisions, place);
  const copy = dryRun ? undefined : await replaceState(stack, state, after);
  for (const line of lines) say(line);
  // Before anything else can fail: nobody else knows where it is.
  if (copy !== undefined) say(`Copy of the previous state: ${copy}`);
  const identity = await identityOf(state, stack);
  const unresolved = unresolvedIn(state).filter((one) => resourcesOf(after).some((other) => isSameEntry(one, other)));
  let isComplete = true;
  for (const one of opened) {
    const own = unresolved.filter((entry) => one.account.has(entry));
    for (const entry of own) say(await noteUnresolved(one.runtime, entry, readInputs));
    const found = await hintsIn(one, after, identity, { place });
    for (const line of found.lines) say(line);
    isComplete &&= found.isComplete;
  }
  if (dryRun) say("Dry run: nothing was changed.");
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
  /** Whether every account could be asked, and every list could be read. */
  isComplete: boolean;
}

async function lookAround(
  stack: Stack,
  { state, readInputs }: { state: State; readInputs: ReadInputs },
  place: string | undefined,
): Promise<Looked> {
  const resources = resourcesOf(state);
  // One that is empty may have been destroyed, and what a killed run has made is still there.
  if (resources.length > 0 && !resources.some(({ type }) => isProviderType(type)))
    return { lines: [], isComplete: true };
  const { opened, notes, isWhole } = await openAccounts(stack, state);
  try {
    const lines: string[] = [];
    let isComplete = true;
    const asked = opened.filter(({ runtime }) => runtime.isConfigured);
    const identity = await identityOf(state, stack);
    // Where there is no history to be had, the last run may have failed: it has written the state.
    const failedAt = asked.length > 0 ? await stack.lastFailure().catch(() => writtenAt(state)) : undefined;
    for (const one of asked) {
      rememberState(one);
      await refuseOtherAccount(one);
      const unresolved = unresolvedIn(one.part);
      for (const entry of unresolved) lines.push(await noteUnresolved(one.runtime, entry, readInputs));
      const found = await hintsIn(one, state, identity, { place, failedAt });
      lines.push(...found.lines);
      isComplete &&= found.isComplete;
    }
    const unasked = unresolvedIn(state).filter((entry) => !asked.some(({ account }) => account.has(entry)));
    const missing = opened.flatMap(({ runtime }) => (runtime.isConfigured ? [] : (runtime.missing ?? [])));
    return {
      lines: [...lines, ...unasked.map(noteUnasked), ...missing.map(notLookedAt), ...notes],
      isComplete: isComplete && missing.length === 0 && isWhole,
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
  identity: StackName,
  options: Pick<HintOptions, "place" | "failedAt">,
): Promise<Looked> {
  const { namespaces } = account;
  const found = await hintsAboutOrphans(runtime, partOf(state, account), identity, { namespaces, ...options });
  return { lines: [...found.hints, ...gapNotes(found)], isComplete: found.failed.length === 0 && found.isWhole };
}

function describeWait(left: number): string {
  return left > 0 ? describeLag(left) : "Waiting for what was found to be ready…";
}
