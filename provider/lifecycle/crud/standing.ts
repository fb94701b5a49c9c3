import { listOf, listShowing, recordIdOf, unreadableView } from "../context";
import type { OperationContext } from "../definition";
import { isOtherKey, RefusedError, type Values, type View } from "../model";
import { findOrProveGone } from "../waiting";
import { refuseForeign } from "./operation";

/**
 * The record of what a state holds, before anything is changed or ended by its id. Where the record is somebody else's, that is
 * refused. Where no list shows it, its id is enough as long as it was last seen with this very key; with another key the
 * id may be that of a machine in another account, so it must be seen first, or be proven to be gone.
 */
export async function findStanding(
  context: OperationContext<object>,
  id: string,
  state: Values,
): Promise<View | "unseen" | "gone"> {
  const { definition, noun, runtime } = context;
  const recordId = recordIdOf(context, id);
  const snapshot = await listShowing(listOf(context), recordId);
  const isSameKey = !isOtherKey(state, runtime.service);
  // A record that cannot be read shows nothing but its label, and must not keep the machine from being ended.
  const isUnseen = snapshot?.isUnreadable(recordId) === true && isSameKey;
  const unread = isUnseen && !definition.recordId ? unreadableView(snapshot, recordId) : undefined;
  if (unread) refuseForeign(context, state, unread);
  const record = isUnseen ? undefined : snapshot?.find(recordId, state["label"]);
  if (record) {
    refuseForeign(context, state, record);
    return record;
  }
  if (isSameKey) return "unseen";
  if (snapshot) return findOrProveGone(context, definition, recordId, state);
  if (runtime.settings.confirmGone) return "gone";
  throw new RefusedError(
    `the API key is not the one with which ${noun} ${id} was last seen, and the service has no list that would show whose it is. Nothing was changed. Use the key with which it was created; or, if both are keys of one account, run this once with GPUFLEET_SAME_ACCOUNT=1; or end it in the service's console and run this again with GPUFLEET_CONFIRM_GONE=1.`,
  );
}
