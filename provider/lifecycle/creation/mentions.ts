import { nameOf } from "../../shared/urn";
import { ifUnavailable } from "../context";
import type { Mention, Operation } from "../definition";
import { isExpired, RefusedError, whyForeign } from "../model";

/**
 * Why what has this id is not what the state has under it: the service has given the id to somebody else's. Undefined where nothing says so,
 * and of what this very process has made: that is what the program means, whatever had its id before.
 */
export async function whyMentionIsAnothers(
  { runtime, stack }: Operation,
  { type, kind, noun, id }: Mention,
): Promise<string | undefined> {
  if (runtime.memory.isClaimed(type, id)) return undefined;
  const entries = (await runtime.state.entries(stack)) ?? [];
  const holders = entries.filter((one) => one.type === type && one.id === id);
  // One that has expired and ended may have had the id before.
  const entry = holders.find(({ outputs }) => !isExpired(outputs)) ?? holders[0];
  const snapshot = entry && (await runtime.lists.of(kind).latest().catch(ifUnavailable));
  if (!snapshot || snapshot.isUnreadable(id)) return undefined;
  const record = snapshot.find(id, entry.outputs["label"]);
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
