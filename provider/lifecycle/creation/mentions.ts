import { nameOf } from "../../shared/urn";
import { listShowing, unreadableView } from "../context";
import type { Mention, Operation } from "../definition";
import { isExpired, RefusedError, type View, whyForeign } from "../model";

/** What lists show under this id; undefined of what this very process has made: that is what the program means, whatever had its id before. */
export async function shownAsMentioned(
  { runtime }: Operation,
  { type, kind, id }: Mention,
  label: unknown,
): Promise<View | undefined> {
  if (runtime.memory.isClaimed(type, id)) return undefined;
  const snapshot = await listShowing(runtime.lists.of(kind), id);
  return snapshot?.isUnreadable(id) ? unreadableView(snapshot, id) : snapshot?.find(id, label);
}

/** Why what has this id is not what the state has under it: the service has given the id to somebody else's. Undefined where nothing says so. */
export async function whyMentionIsAnothers(operation: Operation, mention: Mention): Promise<string | undefined> {
  const { runtime, stack } = operation;
  const { type, noun, id } = mention;
  const entries = (await runtime.state.entries(stack)) ?? [];
  const holders = entries.filter((one) => one.type === type && one.id === id);
  // One that has expired and ended may have had the id before.
  const entry = holders.find(({ outputs }) => !isExpired(outputs)) ?? holders[0];
  const record = entry && (await shownAsMentioned(operation, mention, entry.outputs["label"]));
  const why = record && whyForeign(entry.outputs, runtime.service, noun, record);
  return why && `it names ${type} "${nameOf(entry.urn)}", of which this must be settled first: ${why}`;
}

/** Refuses to make or change what mentions somebody else's. `what` was not done then: "created", "attached". */
export async function refuseMentionsOfOthers(
  operation: Operation,
  mentions: readonly Mention[],
  what: string,
): Promise<void> {
  const whys = await Promise.all(mentions.map((one) => whyMentionIsAnothers(operation, one)));
  const why = whys.find((one) => one !== undefined);
  if (why !== undefined) throw new RefusedError(`${why}. Nothing was ${what}.`);
}
