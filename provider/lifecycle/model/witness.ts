import { withoutSecrets } from "../../shared/secretValue";
import type { StackName } from "../../shared/stackName";
import { isDefaultName, readUrn } from "../../shared/urn";
import type { Values } from "./values";
import { namesOf, type View } from "./view";
import { isSeenWith, mayBe, type Service } from "./whereabouts";

export type { StackName };

/** The stack of an operation, by the name under which its resource was made or last changed. */
export interface StackAtHand extends StackName {
  /** What the operation is about, if it is in the state: a stack that was renamed, or that it was moved to, has it by now. */
  entry?: Pick<StateEntry, "type" | "id">;
}

/** An entry of a state that is one of ours. */
export interface StateEntry {
  urn: string;
  /** `BareMetalRental` */
  type: string;
  id: string;
  outputs: Values;
  /** What the state keeps secret. It is not among the outputs: what it is nobody knows here, and not that there is none. */
  secrets?: readonly string[] | undefined;
  /** Whether another entry has taken its place, and it is only there until it is deleted. */
  isReplaced?: boolean | undefined;
  /** Whether it is not terminated when it leaves the program: `protect` or `retainOnDelete`. */
  isKept?: boolean | undefined;
  /** Whether the engine runs something of the program before it deletes this. */
  hasDeleteHooks?: boolean | undefined;
  /** Whether the option `import` has brought it into the state, and the program has never agreed with it. */
  isImported?: boolean | undefined;
  /** Seconds that `customTimeouts` give its deletion. */
  deleteSeconds?: number | undefined;
  /** URN of its provider; missing where the state does not say. */
  provider?: string | undefined;
  /** Whether that is another one than the one that asks: it has a process of its own, which does not know what this one does. */
  isAnothers?: boolean | undefined;
  /** Whether the engine was deleting it when the state was read. */
  isBeingDeleted?: boolean | undefined;
}

/** A create that a killed run has left in the state. */
export interface InterruptedCreate {
  /** By which the state knows it: the resource may have another name by now, or be of the other kind, dynamic or of the plugin. */
  urn: string;
  asked: Values;
  /** What the state keeps secret of it. */
  secrets?: readonly string[] | undefined;
}

/** An entry as an export has it, without ciphertext: that is like nothing that is compared with it. */
export function openEntry(entry: StateEntry): StateEntry {
  const { open: outputs, secrets } = withoutSecrets(entry.outputs);
  return secrets.length > 0 ? { ...entry, outputs, secrets } : entry;
}

/**
 * The state, asked itself. It is exported when a decision first depends on it, and once per process; undefined where that
 * cannot be done, and then only what came by in this process is known.
 */
export interface StateWitness {
  /**
   * With `now`, as the state is at this moment: other providers of the stack have processes of their own, and write meanwhile. With
   * `now: "others"`, that of what others have, or had seconds ago; of its own this process knows what has become since it first asked.
   */
  entries(stack: StackAtHand, options?: { now?: boolean | "others" }): Promise<readonly StateEntry[] | undefined>;
  /** What depends on what at this moment; undefined where the state cannot be exported. */
  dependencies(stack: StackAtHand): Promise<Dependencies | undefined>;
  /**
   * What others hold: the other stacks of the backend, and other accounts of this one. Any of it may be of another service
   * (see `holds`). Asked only before something would be refused, or taken over.
   */
  elsewhere(stack: StackAtHand): Promise<readonly StateEntry[]>;
  /** Whether all of them could be asked: only then is what nobody holds free. */
  isWhole(stack: StackAtHand): Promise<boolean>;
  /**
   * The creates of this URN, or of any, that earlier runs began and of which no end is known, by their inputs as far as these are no secrets.
   * Without the one that is under way, if one is. Fails where the state cannot be exported.
   */
  interrupted(
    stack: StackAtHand,
    urn: string | undefined,
    own: OwnCreate | undefined,
  ): Promise<readonly InterruptedCreate[]>;
}

/** What the engine deletes before something else. */
export interface Dependent {
  urn: string;
  /** It only holds others together: there is nothing to be done when it goes. */
  isComponent?: boolean;
  /** The engine refuses to delete it, and then leaves what it depends on, too. */
  isProtected?: boolean;
}

/** What the engine deletes before what. */
export interface Dependencies {
  /** All that depends on one of these, directly or through others. */
  dependentsOf(urns: readonly string[]): readonly Dependent[];
  /** In which round a destroy of everything deletes it: of two, the one with the higher number goes first. Undefined once it has gone. */
  roundOf(urn: string): number | undefined;
  /** The URNs of what the engine is deleting now. */
  beingDeleted: readonly string[];
  /** Whether the engine writes each step down: otherwise neither what it deletes nor what it has deleted is known. */
  isCurrent: boolean;
}

/** The create under way: the state has it as pending, too. */
export interface OwnCreate {
  label: unknown;
  /** Whether the label was made for it, in this run, and not chosen by the program. */
  isMade: boolean;
}

/** What tells a machine apart from others with its id. */
export type Machine = Pick<View, "id" | "names" | "label" | "account">;

/** Whether an entry of any state holds this machine of this service: the same id alone does not say so. */
export function holds(entry: StateEntry, type: string, machine: Machine, service: Service): boolean {
  return entry.type === type && namesOf(machine).includes(entry.id) && mayBe(entry.outputs, machine, service);
}

/** For so long a look at what others have serves all who ask: many are deleted at once. Where it shows something that decides, it is looked at again. */
const sharedForMs = 5000;

/** A provider as its own process knows itself. */
export interface OwnProvider {
  /** Its URN, if the program has made it. */
  urn?: string | undefined;
  /** If the engine has made it, whether this is its URN; any default provider's, if that is left out. */
  isDefault?: ((urn: string) => boolean) | undefined;
}

/**
 * The same as one provider sees it. Ids are those of a service and an account: where two providers of a stack have resources
 * with the same id, these are two machines. What another provider has counts only where it is of the same account; or where it is
 * a default one as well, of the other kind or of another version: it has the same configuration.
 */
export function witnessFor(
  { urn, isDefault = isDefaultProvider }: OwnProvider,
  service: () => Service | undefined,
  state: StateWitness,
  now: () => number = () => performance.now(),
): StateWitness {
  const isOwn = ({ provider }: StateEntry) =>
    provider === undefined || (urn === undefined ? isDefault(provider) : provider === urn);
  const isAlike = ({ provider }: StateEntry) =>
    urn === undefined && provider !== undefined && isDefaultProvider(provider);
  const isOfAccount = (entry: StateEntry) => {
    const asked = service();
    return isAlike(entry) || (asked !== undefined && isSeenWith(entry.outputs, asked));
  };
  const asSeen = (entry: StateEntry) => {
    if (isOwn(entry)) return [entry];
    return isOfAccount(entry) ? [{ ...entry, isAnothers: true }] : [];
  };
  let look: { until: number; present: Promise<readonly StateEntry[] | undefined> } | undefined;
  const lookAtOthers = (stack: StackAtHand) => {
    if (look && now() < look.until) return look.present;
    look = { until: now() + sharedForMs, present: state.entries(stack, { now: true }) };
    return look.present;
  };
  /** Its own as it first saw them, what others have as it is now. */
  const withOthersNow = async (stack: StackAtHand) => {
    const first = await state.entries(stack);
    const present = first && (await lookAtOthers(stack));
    if (!first || !present) return first;
    return [...first.filter(isOwn), ...present.filter((entry) => !isOwn(entry))];
  };
  return {
    entries: async (stack, options) => {
      const entries = options?.now === "others" ? withOthersNow(stack) : state.entries(stack, options);
      return (await entries)?.flatMap(asSeen);
    },
    dependencies: (...asked) => state.dependencies(...asked),
    elsewhere: async (stack) => {
      const own = (await state.entries(stack)) ?? [];
      return [...own.filter((entry) => !isOwn(entry) && !isOfAccount(entry)), ...(await state.elsewhere(stack))];
    },
    isWhole: (stack) => state.isWhole(stack),
    interrupted: (...asked) => state.interrupted(...asked),
  };
}

/** Whether the engine itself has made this provider, for resources that were given none. Such a one has no parent. */
export function isDefaultProvider(urn: string): boolean {
  const { name, qualifiedType, type } = readUrn(urn);
  return qualifiedType === type && isDefaultName(name);
}

/** Whether it is of this type and, if its name says one, of this version. */
export function isDefaultOf(urn: string, providerType: string, version?: string): boolean {
  if (!isDefaultProvider(urn) || readUrn(urn).type !== providerType) return false;
  const said = /^default_(\d.*?)(_(https?|github|gitlab)_.*)?$/.exec(readUrn(urn).name)?.[1];
  return version === undefined || said === undefined || said === version.replaceAll(/[^0-9A-Za-z]/g, "_");
}

/** Where no state can be asked. */
export const noWitness: StateWitness = {
  entries: async () => undefined,
  dependencies: async () => undefined,
  elsewhere: async () => [],
  isWhole: async () => false,
  interrupted: async () => [],
};
