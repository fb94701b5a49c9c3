import { OperationUnavailableError, type ServiceError } from "../../client";
import type { Unreadable } from "../../service";
import { showDuration } from "../../shared/duration";
import { messageOf } from "../../shared/messageOf";
import type { Operation, OperationContext } from "../definition";
import { heldAnywhere, heldIds, type IsHeld, unheld } from "../holders";
import {
  answeredKey,
  beforeDeadline,
  beforeKey,
  expectedKey,
  type LifecycleInputs,
  lostAtKey,
  namesKey,
  PartialStateError,
  type SharedList,
  type Snapshot,
  sinceKey,
  type Unresolved,
  unresolvedId,
  type Values,
  type View,
  WaitTimeoutError,
  whereaboutsOf,
  whereKey,
} from "../model";
import { waitUntil } from "../waiting";
import { lookalikesIn, rewrittenIn, unreadableIn } from "./lookalikes";
import { AnothersAnswer, describe, fingerprintOf, hasOwnMark, isFree } from "./ownership";
import { looksAgain, mayBeIt, mayBeUnreadable } from "./unresolved";

type Context = OperationContext<LifecycleInputs>;

/** A refusal may come after the effect: a proxy has sent the request twice, or the service gave up on its own. The list tells. */
export async function madeAllTheSame(
  context: Context,
  list: SharedList<unknown>,
  before: Snapshot<unknown> | undefined,
  since: number,
  refusal: ServiceError,
): Promise<View> {
  const snapshot = await list
    .fresh()
    .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  if (snapshot instanceof OperationUnavailableError) throw refusal;
  // Without a look the refusal is no better than a lost reply.
  if (snapshot instanceof Error) return findLost(context, list, before, since, refusal);
  const alike = hasOwnMark(context) ? snapshot.withLabel(fingerprintOf(context)) : [];
  const free = alike.filter((view) => isFree(context, view));
  const [made] = await unheld(context, free);
  if (made) {
    context.runtime.memory.claim(context.type, made.id);
    context.runtime.engine.warn(
      context.urn,
      `the service answered "${refusal.reason}", but has created ${describe(context, made)}: it is used`,
    );
    return made;
  }
  // Also for want of capacity: a proxy that sends the request twice takes the last one with the first, and hears that from the second.
  const created = unresolvedIn(context, before);
  const { lookalikes, unreadable } = await suspectsIn(context, snapshot, before, created);
  if (lookalikes.length > 0) {
    throw unresolvedError(
      context,
      `${refusal.message.replace(/\.$/, "")}. However, ${await mayBeIt(context, lookalikes, created.asked)}`,
      keptOf(created),
      refusal,
    );
  }
  // What came up and cannot be read may be it.
  if (unreadable.length > 0) return findLost(context, list, before, since, refusal);
  throw refusal;
}

/** This create, as it is looked for where its outcome is in doubt. */
function unresolvedIn(context: Context, before: Snapshot<unknown> | undefined): Unresolved {
  const fingerprint = fingerprintOf(context);
  const isCertain = hasOwnMark(context);
  const { clock, client } = context.runtime;
  const created = {
    fingerprint,
    isProof: isCertain,
    asked: { ...context.inputs },
    since: clock.now(),
    madeAt: new Date(client.serviceNow()).toISOString(),
    idsBefore: undefined,
  };
  if (!before) return created;
  if (!isCertain) return { ...created, idsBefore: [...before.idsInUse()] };
  // With a label of its own, only what could be taken for its outcome needs to be known.
  const alike = [
    ...before.withLabel(fingerprint),
    ...rewrittenIn(context, before, { ...created, idsBefore: [] }, () => false),
  ];
  const unreadable = before.unreadable.flatMap(({ id }) => id ?? []);
  return { ...created, idsBefore: [...alike.map(({ id }) => id), ...unreadable] };
}

/** The same as the state keeps it. */
function keptOf({ since, madeAt, idsBefore, answered }: Unresolved): Values {
  return {
    [lostAtKey]: new Date(since).toISOString(),
    ...(madeAt !== undefined && { [sinceKey]: madeAt }),
    ...(answered !== undefined && { [answeredKey]: answered }),
    ...(idsBefore && { [beforeKey]: [...idsBefore] }),
  };
}

/** What may be the outcome of a create, although nothing proves it. */
interface Suspects {
  lookalikes: View[];
  unreadable: Unreadable[];
}

/** What this list shows and may be the outcome. What creates side by side have made is theirs, as soon as they are answered. */
async function suspectsIn(
  context: Context,
  snapshot: Snapshot<unknown>,
  before: Snapshot<unknown> | undefined,
  created: Unresolved,
): Promise<Suspects> {
  const unreadable = snapshot.unreadableSince(before);
  const look = (isHeld: IsHeld): Suspects => ({
    lookalikes: lookalikesIn(context, snapshot, created, isHeld),
    unreadable: unreadableIn(context, unreadable, created, isHeld),
  });
  const first = look(() => false);
  if (first.lookalikes.length === 0 && first.unreadable.length === 0) return first;
  await untilAnswered(context, context.type);
  return look(await heldAnywhere(context));
}

/**
 * Waits for the creates of a type that are under way by now, because what they have made is nobody's until then. What is sent later is in
 * no list that was had before.
 */
export async function untilAnswered({ deadline, runtime }: Operation, type: string): Promise<void> {
  const { clock, memory, settings } = runtime;
  const end = Math.min(deadline, clock.now() + settings.listLagMs);
  await beforeDeadline(clock, end, () => memory.whenAnswered(type)).catch(() => undefined);
}

/** However little time is left, a lost reply is worth a look. */
const shortestLook = 10_000;

/** What a create has made whose reply was lost. With an automatic label it is found and used; without, a person settles it. */
export async function findLost(
  context: Context,
  list: SharedList<unknown>,
  before: Snapshot<unknown> | undefined,
  since: number,
  lost: Error,
): Promise<View> {
  const answered = lost instanceof AnothersAnswer ? lost.answered : undefined;
  const created = { ...unresolvedIn(context, before), answered };
  const found = created.isProof
    ? await waitForLabel(context, list, created.fingerprint, since).catch(messageOf)
    : undefined;
  if (typeof found === "object") {
    context.runtime.memory.claim(context.type, found.id);
    return found;
  }
  const waited = found === undefined ? "" : `${found.replace(/\.$/, "")}. `;
  const next = await nameSuspects(context, list, before, created);
  throw unresolvedError(
    context,
    `${lost.message.replace(/\.$/, "")}. It is unknown whether it was created: ${waited}${next}`,
    keptOf(created),
    lost,
  );
}

/** What was created, and is not known by its id, where the answer gave several names and no list has shown one of them. */
export function unlistedError(context: Context, names: readonly string[], cause: unknown): PartialStateError {
  const { client, clock, memory } = context.runtime;
  const reason = messageOf(cause).replace(/\.$/, "");
  return unresolvedError(
    context,
    `it was created as ${names.join(" and ")}, and no list has shown which of these is its id: ${reason}. The next \`pulumi up\` looks again before it creates another one.`,
    {
      [lostAtKey]: new Date(clock.now()).toISOString(),
      [sinceKey]: new Date(client.serviceNow()).toISOString(),
      [namesKey]: [...names],
      [beforeKey]: [...(memory.idsBefore(context.urn) ?? [])],
    },
    cause,
  );
}

/** Puts a create that cannot be named by its id into the state all the same. */
function unresolvedError(context: Context, message: string, kept: Values, cause: unknown): PartialStateError {
  const isChosenLabel = context.inputs.label !== undefined && !hasOwnMark(context);
  const where = whereaboutsOf(context.runtime.service, context.definition.kind.base, {});
  const expected = context.runtime.pledges.expectedOf(context.urn);
  return new PartialStateError(
    message,
    unresolvedId(fingerprintOf(context), isChosenLabel),
    { status: "Unknown", [whereKey]: where, ...(expected !== undefined && { [expectedKey]: expected }), ...kept },
    { cause },
  );
}

async function waitForLabel(context: Context, list: SharedList<unknown>, label: string, since: number): Promise<View> {
  const { clock, settings } = context.runtime;
  const lostAt = clock.now();
  const held = await heldIds(context);
  try {
    return await waitUntil<unknown, View>({
      operation: context,
      list,
      prompt: true,
      since,
      deadline: lostAt + Math.min(settings.listLagMs, Math.max(context.deadline - lostAt, shortestLook)),
      judge: (snapshot) => {
        const found = snapshot.withLabel(label).find((view) => isFree(context, view) && !held.includes(view.id));
        return found ? { kind: "done", result: found } : { kind: "pending", status: "not listed" };
      },
      progress: (_, elapsed) => `the reply was lost; looking for "${label}" in the list (${showDuration(elapsed)})`,
    });
  } catch (error) {
    if (!(error instanceof WaitTimeoutError)) throw error;
    throw new Error(`"${label}" was not listed within ${showDuration(clock.now() - lostAt)}`, {
      cause: error,
    });
  }
}

/** What may be it, as a list shows it now, and how it is settled. */
async function nameSuspects(
  context: Context,
  list: SharedList<unknown>,
  before: Snapshot<unknown> | undefined,
  created: Unresolved,
): Promise<string> {
  const { asked, isProof } = created;
  try {
    // Whoever has waited for its label has had a list just now.
    const snapshot = await (isProof ? list.latest() : list.fresh());
    const { lookalikes, unreadable } = await suspectsIn(context, snapshot, before, created);
    const [first] = unreadable;
    if (first && lookalikes.length === 0) return mayBeUnreadable(context, first);
    if (isProof && lookalikes.length === 0) return looksAgain;
    return await mayBeIt(context, lookalikes, asked, { byItself: ` ${looksAgain}` });
  } catch (error) {
    return isProof ? looksAgain : `${messageOf(error).replace(/\.$/, "")}. ${looksAgain}`;
  }
}
