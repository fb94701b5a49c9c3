import { namesOfOtherStacks } from "../../provider/fronts";
import { openEntry, type StackName, type StateEntry, type StateWitness } from "../../provider/lifecycle";
import { messageOf } from "../../provider/shared/messageOf";
import { readStackName, shortName } from "../../provider/shared/stackName";
import { mapAtMost } from "./atMost";
import type { Stack } from "./stack";
import { gpufleetType, parseState, resourcesOf, type State } from "./state";

/** The other stacks of the backend that a stack is kept in. */
export interface OtherStacks {
  stacks: OtherStack[];
  /** Those that could not be read: what they hold is unknown. */
  unread: { name: string; reason: string }[];
}

export interface OtherStack {
  /** `project/stack` */
  name: string;
  state: State;
}

/** Runs a command of `pulumi` on the backend. */
export type InBackend = (...args: string[]) => Promise<string>;

/** Reads them when they are first asked for, and once. */
export function otherStacksOf(
  stack: Stack,
  identity: () => Promise<StackName>,
  inBackend: InBackend = (...args) => stack.inBackend(...args),
): () => Promise<OtherStacks> {
  let read: Promise<OtherStacks> | undefined;
  return () => {
    read ??= identity().then((own) => readOtherStacks(inBackend, own));
    return read;
  };
}

/** Beside these, what a stack has in its other accounts: two API keys may be of one account, and list the same machines. */
export function withOtherAccounts(
  others: () => Promise<OtherStacks>,
  own: StackName,
  otherPart: State,
): () => Promise<OtherStacks> {
  return async () => {
    const { stacks, unread } = await others();
    return { stacks: [{ name: shortName(own), state: otherPart }, ...stacks], unread };
  };
}

/** The same for several stacks of one backend: what one of them has asked, the others are told. */
export function askedOnce(stack: Stack): InBackend {
  const asked = new Map<string, Promise<string>>();
  return (...args) => {
    const key = args.join(" ");
    const answer = asked.get(key) ?? stack.inBackend(...args);
    asked.set(key, answer);
    return answer;
  };
}

/** How many exports run at a time. */
const atOnce = 4;

/** Exports every other stack of the backend. */
async function readOtherStacks(pulumi: InBackend, own: StackName): Promise<OtherStacks> {
  const found: OtherStacks = { stacks: [], unread: [] };
  const names = await namesOfOtherStacks(pulumi, own).catch((error: unknown) => {
    found.unread.push({ name: "the other stacks of the backend", reason: messageOf(error) });
    return [];
  });
  await mapAtMost(atOnce, names, async (next) => {
    const name = nameIn(next, own);
    try {
      const state = parseState(await pulumi("stack", "export", "--stack", next));
      found.stacks.push({ name, state });
    } catch (error) {
      found.unread.push({ name, reason: messageOf(error) });
    }
  });
  return found;
}

/** Old states in files have the last name alone. */
function nameIn(name: string, own: StackName): string {
  return shortName({ ...own, ...readStackName(name) });
}

/** The states as the provider's own code asks them. */
export function witnessOf(state: State, others: () => Promise<OtherStacks>): StateWitness {
  return {
    entries: async () => entriesOf(state),
    elsewhere: async () => (await others()).stacks.flatMap((other) => entriesOf(other.state)),
    isWhole: async () => (await others()).unread.length === 0,
    // The command deletes nothing, creates nothing, and reads itself what is pending.
    dependencies: async () => undefined,
    interrupted: async () => [],
  };
}

function entriesOf(state: State): StateEntry[] {
  return resourcesOf(state).flatMap((resource) => {
    const { urn, id, outputs = {} } = resource;
    const type = gpufleetType(resource);
    return type === undefined || id === undefined ? [] : [openEntry({ urn, type, id, outputs })];
  });
}
