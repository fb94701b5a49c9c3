import { configOf, hasBaseUrl, type ReadConfig, readService } from "../../provider/fronts";
import { isDefaultProvider } from "../../provider/lifecycle";
import { messageOf } from "../../provider/shared/messageOf";
import { dynamicProviderType, nativeProviderType } from "../../provider/shared/typeToken";
import { nameOf, providerIn } from "../../provider/shared/urn";
import { hasSecret, unwrapSecrets } from "./secrets";
import type { Stack } from "./stack";
import { gpufleetType, pendingOf, resourcesOf, type State, type StateResource, titleOf } from "./state";

/** An account that a stack rents from: that of its configuration, or of one or more explicit providers. */
export interface StackAccount {
  /** For people: undefined for that of the configuration. */
  title: string | undefined;
  config: ReadConfig;
  /** Namespaces of the providers that have this account. */
  namespaces: string[];
  /** Whether one of these providers has the resource. */
  has(resource: StateResource): boolean;
}

/** Resources that a command knows nothing of, because the account of their provider cannot be asked. */
export interface LeftOut {
  /** The stack, where nothing of it could be read. */
  stack?: string;
  provider: string;
  /** `BareMetalRental "train"` */
  resources: string[];
  reason: string;
}

export interface StackAccounts {
  accounts: StackAccount[];
  leftOut: LeftOut[];
}

/** The part of a state that one account has, beside what is not of this package. */
export function partOf(state: State, { has }: StackAccount): State {
  return onlyWith(state, (resource) => gpufleetType(resource) === undefined || has(resource));
}

/** The part that other accounts of the stack have. */
export function otherPartOf(state: State, { has }: StackAccount): State {
  return onlyWith(state, (resource) => gpufleetType(resource) !== undefined && !has(resource));
}

/** The part that none of these accounts has. */
export function restOf(state: State, accounts: readonly StackAccount[]): State {
  return onlyWith(state, (resource) => !accounts.some(({ has }) => has(resource)));
}

function onlyWith(state: State, isIncluded: (resource: StateResource) => boolean): State {
  const { resources, pending_operations, ...deployment } = state.deployment;
  return {
    ...state,
    deployment: {
      ...deployment,
      ...(resources && { resources: resources.filter(isIncluded) }),
      ...(pending_operations && {
        pending_operations: pending_operations.filter(({ resource }) => isIncluded(resource)),
      }),
    },
  };
}

/** The accounts of a stack: that of the configuration first, unless only explicit providers have anything. */
export async function accountsOf(
  stack: Stack,
  state: State,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<StackAccounts> {
  const config = await stack.readConfig();
  const own = accountWith(undefined, config);
  const providers = explicitProviders(state);
  if (providers.length === 0) return { accounts: [own], leftOut: [] };
  const accounts = new Map<string, StackAccount>();
  const leftOut: LeftOut[] = [];
  const add = (account: StackAccount) => {
    const { addresses, key } = readService(account.config, environment);
    const name = JSON.stringify([addresses, key]);
    const known = accounts.get(name);
    accounts.set(name, known ? joinAccounts(known, account) : account);
  };
  const isUsed = titlesOf(state, own.has).length > 0;
  const hasAddress = hasBaseUrl(config, environment);
  // An address without a key may be there for the explicit providers, which have their own.
  if (hasAddress && (isUsed || readService(config, environment).key !== undefined)) add(own);
  // Whoever asks for it gets the error that says where to put an address.
  else if (isUsed) accounts.set("", own);
  const settings = await openSettings(stack, state, providers);
  for (const { urn } of providers) {
    try {
      add(accountWith(urn, settings(urn)));
    } catch (error) {
      leftOut.push(leaveOut(state, urn, messageOf(error)));
    }
  }
  return { accounts: [...accounts.values()], leftOut };
}

/** The settings of the last `pulumi up`, by which refresh and destroy go; undefined where nothing goes by those of the stack. */
export async function settingsOfLastRun(stack: Stack, state: State): Promise<ReadConfig | undefined> {
  const used = resourcesOf(state).find(
    (resource) =>
      gpufleetType(resource) !== undefined && ownerIs(undefined)(resource) && resource.provider !== undefined,
  );
  const urn = used?.provider && providerIn(used.provider);
  const entry = resourcesOf(state).find((resource) => resource.urn === urn);
  return entry && (await openSettings(stack, state, [entry]))(entry.urn);
}

/** What is left out, where the account of a provider could be named and not be asked. */
export function leftOutOf(state: State, account: StackAccount, reason: string): LeftOut {
  return { provider: account.title ?? "", resources: titlesOf(state, account.has), reason };
}

/** In words. */
export function leftOutNotes(leftOut: readonly LeftOut[]): string[] {
  return leftOut.map(({ stack, provider, resources, reason }) => {
    if (stack !== undefined) return `Not included: stack ${stack}. ${reason}`;
    const which = resources.length > 0 ? `: ${resources.join(", ")}` : "";
    return `Not included, because the account of ${provider} could not be asked${which}. ${reason}`;
  });
}

function leaveOut(state: State, urn: string, reason: string): LeftOut {
  return { provider: titleFor(urn), resources: titlesOf(state, ownerIs(urn)), reason };
}

function titlesOf(state: State, has: (resource: StateResource) => boolean): string[] {
  return [...resourcesOf(state), ...pendingOf(state).map(({ resource }) => resource)]
    .filter((resource) => gpufleetType(resource) !== undefined && has(resource))
    .map(titleOf);
}

function accountWith(urn: string | undefined, config: ReadConfig): StackAccount {
  return {
    title: urn && titleFor(urn),
    config,
    namespaces: [config("namespace") ?? ""],
    has: ownerIs(urn),
  };
}

function titleFor(urn: string): string {
  return `provider "${nameOf(urn)}"`;
}

/** Both as one: two keys of the same account. */
export function joinAccounts(one: StackAccount, other: StackAccount): StackAccount {
  return {
    ...one,
    title: one.title && [one.title, other.title].join(", "),
    namespaces: [...new Set([...one.namespaces, ...other.namespaces])],
    has: (resource) => one.has(resource) || other.has(resource),
  };
}

function ownerIs(urn: string | undefined) {
  return ({ provider }: StateResource): boolean => {
    const owner = provider && providerIn(provider);
    const explicit = owner === undefined || isDefaultProvider(owner) ? undefined : owner;
    return explicit === urn;
  };
}

/** Those that are of this package: other dynamic resources have providers of the same type as ours. */
function explicitProviders(state: State): StateResource[] {
  const used = new Set(
    [...resourcesOf(state), ...pendingOf(state).map(({ resource }) => resource)]
      .filter((resource) => gpufleetType(resource) !== undefined)
      .flatMap(({ provider }) => (provider ? [providerIn(provider)] : [])),
  );
  return resourcesOf(state).filter(
    ({ type, urn, inputs = {} }) =>
      !isDefaultProvider(urn) &&
      (type === nativeProviderType ||
        (type === dynamicProviderType &&
          (used.has(urn) || Object.keys(inputs).some((key) => key.startsWith("gpufleet:"))))),
  );
}

/** The settings of each, decrypted: the state is exported a second time, in plain text, only where one has a secret. */
async function openSettings(
  stack: Stack,
  state: State,
  providers: readonly StateResource[],
): Promise<(urn: string) => ReadConfig> {
  const isSealed = providers.some(({ inputs }) => hasSecret(inputs));
  const open = isSealed ? await stack.exportState({ showSecrets: true }).catch((error: unknown) => error) : state;
  return (urn) => {
    const sealed = providers.find((one) => one.urn === urn);
    if (hasSecret(sealed?.inputs) && !isState(open)) throw new Error(messageOf(open));
    const inputs = isState(open) ? resourcesOf(open).find((one) => one.urn === urn)?.inputs : sealed?.inputs;
    const values = Object.fromEntries(
      Object.entries(inputs ?? {}).map(([key, value]) => [key.replace(/^gpufleet:/, ""), unwrapSecrets(value)]),
    );
    return configOf(values, urn);
  };
}

function isState(value: unknown): value is State {
  return typeof value === "object" && value !== null && "deployment" in value;
}
