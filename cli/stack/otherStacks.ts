import { namesOfOtherStacks } from "../../provider/fronts";
import { messageOf, type StackName, type StateEntry, type StateWitness } from "../../provider/lifecycle";
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

/** Reads them when they are first asked for, and once. */
export function otherStacksOf(stack: Stack, identity: () => Promise<StackName>): () => Promise<OtherStacks> {
  let read: Promise<OtherStacks> | undefined;
  return () => {
    read ??= identity().then((own) => readOtherStacks(stack, own));
    return read;
  };
}

/** How many exports run at a time. */
const atOnce = 4;

/** Exports every other stack of the backend. */
async function readOtherStacks(stack: Stack, own: StackName): Promise<OtherStacks> {
  const pulumi = (...args: string[]) => stack.inBackend(...args);
  const found: OtherStacks = { stacks: [], unread: [] };
  const names = await namesOfOtherStacks(pulumi, own).catch((error: unknown) => {
    found.unread.push({ name: "the other stacks of the backend", reason: messageOf(error) });
    return [];
  });
  const waiting = [...names];
  const exportNext = async (): Promise<void> => {
    const next = waiting.shift();
    if (next === undefined) return;
    const name = shortName(next, own);
    try {
      const state = parseState(await pulumi("stack", "export", "--stack", next));
      found.stacks.push({ name, state });
    } catch (error) {
      found.unread.push({ name, reason: messageOf(error) });
    }
    return exportNext();
  };
  await Promise.all(Array.from({ length: atOnce }, exportNext));
  return found;
}

/** States that are kept in files belong to the organization `organization`, and stacks of the project of the folder are listed by their last name. */
function shortName(name: string, { project }: StackName): string {
  return name.includes("/") ? name.replace(/^organization\//, "") : `${project}/${name}`;
}

/** The states as the provider's own code asks them. */
export function witnessOf(state: State, others: () => Promise<OtherStacks>): StateWitness {
  return {
    entries: async () => entriesOf(state),
    elsewhere: async () => (await others()).stacks.flatMap((other) => entriesOf(other.state)),
  };
}

function entriesOf(state: State): StateEntry[] {
  return resourcesOf(state).flatMap((resource) => {
    const { urn, id, outputs = {} } = resource;
    const type = gpufleetType(resource);
    return type === undefined || id === undefined ? [] : [{ urn, type, id, outputs }];
  });
}
