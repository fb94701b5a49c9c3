import { namesOf, type Runtime, type Snapshot, type StackName, unresolvedFingerprint } from "../../provider/lifecycle";
import { readLabel, stackMark } from "../../provider/shared/label";
import { messageOf } from "../../provider/shared/messageOf";
import { shortName } from "../../provider/shared/stackName";
import { nameOf, readUrn } from "../../provider/shared/urn";
import { type Billable, billablesOf, eachOnce, thingOf, unknownModel } from "../money";
import type { Place } from "../place";
import {
  accountsOf,
  commandRuntime,
  findProject,
  gpufleetType,
  type InBackend,
  joinAccounts,
  type LeftOut,
  leftOutNotes,
  leftOutOf,
  type OtherStacks,
  organizationOf,
  otherPartOf,
  otherStacksOf,
  partOf,
  resourcesOf,
  Stack,
  type StackAccount,
  type State,
  type StateResource,
  withOtherAccounts,
  witnessOf,
} from "../stack";
import type { Gap } from "./gaps";
import { type Account, type Holding, joinHoldings, listHoldings } from "./holdings";
import { groupByAccount, type Seen } from "./sameAccount";
import { atOtherAddress, inOtherAccount, refuseMisplaced } from "./whereabouts";

/** A stack and the account that it rents from. */
export interface Situation {
  /** `project/stack` */
  name: string;
  identity: StackName;
  /** The account, where a stack has several: `provider "other"`. */
  account: string | undefined;
  /** What the labels of this stack contain, one per namespace. */
  marks: readonly string[];
  /** What the account has and the state, too, by the names in the program. */
  own: StackHolding[];
  /** What the state has and the service does not list. */
  unseen: InState[];
  /** What the account has and the state has not. */
  others: Holding[];
  /** Plurals of what the service does not list. */
  notListed: string[];
  /** What could not be read. */
  gaps: Gap[];
  /** What the other stacks of the backend and other accounts of this one hold: asked before something is called an orphan. */
  otherStacks: () => Promise<OtherStacks>;
  stack: Stack;
  state: State;
  runtime: Runtime;
}

export interface InState extends Billable {
  id: string;
  urn: string;
  /** Whether it is gone: a complete list of its kind lacks it. Otherwise it may run, and nothing tells. */
  isGone: boolean;
}

export interface StackHolding extends Holding {
  urn: string;
}

/** What a stack has in each of its accounts, and what could not be asked. */
export interface Situations {
  situations: [Situation, ...Situation[]];
  leftOut: LeftOut[];
  close(): Promise<void>;
}

/** Refuses where the state is of another service, or of another account. The account of an explicit provider may be left out. */
export async function readSituations(place: Place, inBackend?: InBackend): Promise<Situations> {
  const stack = new Stack(place);
  const state = await stack.exportState();
  const identity = await identityOf(state, stack);
  const otherStacks = otherStacksOf(stack, async () => identity, inBackend);
  const { accounts, leftOut } = await accountsOf(stack, state);
  const asked: Asked[] = [];
  const close = async () => {
    for (const { runtime } of asked) await runtime.client.close();
  };
  for (const account of accounts) {
    try {
      const otherHolders = withOtherAccounts(otherStacks, identity, otherPartOf(state, account));
      asked.push(await askAccount(partOf(state, account), account, otherHolders));
    } catch (error) {
      if (account.title === undefined) {
        await close();
        throw error;
      }
      leftOut.push(leftOutOf(state, account, messageOf(error)));
    }
  }
  const [first, ...rest] = groupByAccount(asked).flatMap(([one, ...same]) => {
    if (!one) return [];
    const account = same.reduce((known, { account }) => joinAccounts(known, account), one.account);
    const given = {
      ...{ stack, identity, runtime: one.runtime, account: account.title, namespaces: account.namespaces },
      state: partOf(state, account),
      otherStacks: withOtherAccounts(otherStacks, identity, otherPartOf(state, account)),
    };
    return [situationOf(given, joinHoldings([one.listed, ...same.map(({ listed }) => listed)]))];
  });
  if (!first) throw new Error(leftOutNotes(leftOut).join(" "));
  return { situations: [first, ...rest], leftOut, close };
}

/** What one key of a stack shows. */
interface Asked extends Seen {
  account: StackAccount;
  runtime: Runtime;
  listed: Account;
}

async function askAccount(state: State, account: StackAccount, otherStacks: Situation["otherStacks"]): Promise<Asked> {
  const runtime = commandRuntime(account.config, process.env, witnessOf(state, otherStacks));
  try {
    refuseMisplaced(atOtherAddress(state, runtime.service));
    const listed = await listHoldings(runtime, state);
    refuseMisplaced(inOtherAccount(state, runtime, listed.lists));
    return { account, runtime, listed, service: runtime.service, holdings: listed.holdings };
  } catch (error) {
    await runtime.client.close();
    throw error;
  }
}

/** The state beside the account. */
export function situationOf(
  {
    account,
    namespaces,
    now,
    ...given
  }: Pick<Situation, "stack" | "state" | "identity" | "runtime" | "otherStacks"> & {
    /** By the clock of its service. */
    now?: number;
    account?: string | undefined;
    namespaces?: readonly string[];
  },
  { holdings, notListed, gaps, lists }: Account,
): Situation {
  const { state, identity, runtime } = given;
  const seenAt = now ?? runtime.client.serviceNow();
  const listed = byName(holdings);
  const known = eachOnce(inStateOf(state, holdings), (one) => thingOf(listed.get(keyOf(one)) ?? one));
  const inState = new Set(known.map((one) => listed.get(keyOf(one))));
  return {
    name: shortName(identity),
    account,
    marks: (namespaces ?? [runtime.settings.namespace]).map((namespace) => stackMark({ ...identity, namespace })),
    own: known.flatMap((one) => {
      const holding = listed.get(keyOf(one));
      return holding ? [{ ...merge(holding, one), seenAt }] : [];
    }),
    unseen: known
      .filter((one) => !listed.has(keyOf(one)))
      .map((one) => ({ ...one, seenAt, isGone: isGone(one, lists.get(one.type)) })),
    others: holdings.filter((one) => !inState.has(one)).map((one) => ({ ...one, seenAt })),
    notListed,
    gaps,
    ...given,
  };
}

/** Whether the list shows that it is not there: by its own record, or because nothing is missing from the list. */
function isGone({ id }: Known, list: Snapshot<unknown> | undefined): boolean {
  return list !== undefined && (list.isComplete || list.ended(id, undefined));
}

/** By the id of each, and by its other names where these are no ids. */
function byName(holdings: readonly Holding[]): ReadonlyMap<string, Holding> {
  const named = holdings.flatMap((one) => namesOf(one).map((id): [string, Holding] => [keyOf({ ...one, id }), one]));
  return new Map([...named, ...holdings.map((one): [string, Holding] => [keyOf(one), one])]);
}

type Known = Omit<InState, "isGone">;

/** Everything in the state that bills, what is still to be deleted included. */
function inStateOf(state: State, holdings: readonly Holding[]): Known[] {
  return resourcesOf(state).flatMap((resource) => {
    const type = gpufleetType(resource);
    if (type === undefined || resource.id === undefined) return [];
    const { urn, inputs, outputs } = resource;
    const replaced = resource.delete === true ? { isReplaced: true } : {};
    const id = outcomeOf(resource, type, holdings) ?? resource.id;
    return billablesOf(type, nameOf(urn), { ...inputs, ...outputs }).flatMap((billable) => {
      if (billable.createdWith === undefined) return [{ ...billable, ...replaced, id, urn }];
      return billable.id === undefined ? [] : [{ ...billable, ...replaced, id: billable.id, urn }];
    });
  });
}

/** The id of what an unresolved create has created, if its automatic label proves it. */
function outcomeOf({ id = "" }: StateResource, type: string, holdings: readonly Holding[]): string | undefined {
  const label = unresolvedFingerprint(id);
  if (readLabel(label) === undefined) return undefined;
  return holdings.find((holding) => holding.type === type && holding.label === label)?.id;
}

/** By the name of the program; what the list does not tell is as the state has it. */
function merge(holding: Holding, inState: Known): StackHolding {
  const { name, urn, expiresAtTime, createdWith, isReplaced } = inState;
  return {
    ...holding,
    ...{ name, urn, expiresAtTime, createdWith, isReplaced },
    gpus: mergeGpus(holding.gpus, inState.gpus),
    region: holding.region ?? inState.region,
    createdAt: inState.createdAt ?? holding.createdAt,
    ssh: holding.ssh ?? inState.ssh,
    ...betterPrice(holding, inState),
  };
}

type Priced = Pick<Billable, "costPerHour" | "estimated">;

/** A price that the service has shown once is better than an estimate; else the list knows it better than the state. */
function betterPrice(listed: Priced, inState: Priced): Priced {
  const priced = [listed, inState].filter(({ costPerHour }) => costPerHour !== undefined);
  const { costPerHour, estimated } = priced.find((one) => !one.estimated) ?? priced[0] ?? {};
  return { costPerHour, estimated };
}

function mergeGpus(listed: Billable["gpus"], inState: Billable["gpus"]): Billable["gpus"] {
  if (!listed || !inState) return inState ?? listed;
  const model = inState.model === unknownModel ? listed.model : inState.model;
  return { model, count: inState.count ?? listed.count };
}

function keyOf({ type, id }: { type: string; id: string }): string {
  return `${type} ${id}`;
}

/** An empty state names neither project nor stack; then they are those of the folder. */
export async function identityOf(state: State, of: Stack): Promise<StackName> {
  const organization = await organizationOf(state, of);
  const [first] = resourcesOf(state);
  if (first) {
    const { project, stack } = readUrn(first.urn);
    return { organization, project, stack };
  }
  const { cwd } = of.place;
  const project = (await findProject(cwd))?.name;
  if (project === undefined) throw new Error(`there is no Pulumi project in ${cwd}`);
  const name = await of.name();
  return { organization, project, stack: name.slice(name.lastIndexOf("/") + 1) };
}
