import {
  expiredInState,
  findOrProveGone,
  isOtherKey,
  type Operation,
  type ResourceDefinition,
  type Snapshot,
  type StateEntry,
  type Values,
  type View,
  whyForeign,
} from "../../lifecycle";
import { asLastKnown, isAbsent, isBilling, type Member, type MemberName, membersIn } from "./members";
import { knownIn, lastKnownIn } from "./state";

export interface Reading {
  /** What the members are. */
  member: ResourceDefinition;
  rentals: readonly MemberName[];
  /** What the state has of the fleet. */
  state: Values;
}

/** The members as a refresh finds them. The state is asked only where the list does not tell: that takes a while. */
export async function readMembers(
  operation: Operation,
  { member, rentals, state }: Reading,
  snapshot: Snapshot<unknown>,
): Promise<Member[]> {
  const known = knownIn(state, member.kind.statuses);
  const members = membersIn(rentals, { known, isExpired: () => false }, snapshot);
  const isDoubtful = isOtherKey(state, operation.runtime.service);
  if (members.every(isBilling) && !isDoubtful) return members;
  const isExpired = await expiredInState(operation);
  const living = membersIn(rentals, { known, isExpired: (id) => isExpired(member.type, id) }, snapshot);
  const { runtime, stack } = operation;
  const entries = (await runtime.state.entries(stack))?.filter(({ type }) => type === member.type);
  const lastKnown = lastKnownIn(state, member.kind.statuses);
  return Promise.all(
    living.map(async (one) => {
      const entry = entries?.find(({ id }) => id === one.id);
      const isUnowned = entries !== undefined && entry === undefined;
      const found = await look({ ...operation, noun: member.noun }, member, one, { entry, isDoubtful, isUnowned });
      return found === "unchanged" ? asLastKnown(one, lastKnown.get(one.id)) : found;
    }),
  );
}

/** What the list shows of a member counts as far as it would for the member itself. */
async function look(
  operation: Operation,
  definition: ResourceDefinition,
  member: Member,
  { entry, isDoubtful, isUnowned }: { entry: StateEntry | undefined; isDoubtful: boolean; isUnowned: boolean },
): Promise<Member | "unchanged"> {
  const { service } = operation.runtime;
  const { id, view } = member;
  const isForeign = (shown: View) => entry && whyForeign(entry.outputs, service, operation.noun, shown) !== undefined;
  if (view) return isForeign(view) || (isDoubtful && !entry) ? "unchanged" : member;
  // Whose entry is no longer there was found gone before.
  if (!isAbsent(member) || isUnowned) return member;
  const left = await findOrProveGone(operation, definition, id, entry?.outputs ?? {}, { isKnown: true }).catch(
    () => undefined,
  );
  if (left === undefined) return "unchanged";
  return left === "gone" ? member : { ...member, view: left, status: left.status };
}
