import { resolve } from "node:path";
import type { ReadConfig } from "../../../provider/fronts";
import type { Runtime } from "../../../provider/lifecycle";
import { cleanText } from "../../../provider/shared/cleanText";
import { messageOf } from "../../../provider/shared/messageOf";
import type { SettingName } from "../../../provider/shared/settingNames";
import { nameOf, providerIn, readOrigin } from "../../../provider/shared/urn";
import { type Change, hasExplicitProvider, identityOf, type Preview } from "../../preview";
import {
  accountsOf,
  commandRuntime,
  findProject,
  maskedSecret,
  resourcesOf,
  Stack,
  type StateResource,
} from "../../stack";
import { complain } from "../../terminal";

/** What a comment can use besides the preview itself, where it is there: the service, and the stack's state. */

/** An account that the previewed stack rents from. */
export interface AskedAccount {
  /** `provider "other"`; undefined for the account of the configuration. */
  title: string | undefined;
  /** Undefined where it cannot be asked. */
  runtime: Runtime | undefined;
  /** Its part of the changes. */
  changes: Change[];
}

/** The stack's own configuration; undefined where it is not here. Warns where there is a key at hand, and it cannot be read. */
export async function findConfig(
  preview: Preview,
  { cwd, environment }: { cwd: string; environment: NodeJS.ProcessEnv },
): Promise<ReadConfig | undefined> {
  const stack = await stackOf(preview, cwd);
  try {
    return await stack?.readConfig();
  } catch (error) {
    if (environment["GPUFLEET_API_KEY"])
      complain(
        `gpufleet comment: warning: the configuration of the stack is not used, because it cannot be read: ${messageOf(error)}`,
      );
    return undefined;
  }
}

/** A setting of the stack. Every preview carries those along, and shows a secret only as one. */
export interface Setting {
  /** Undefined for a secret that cannot be read. */
  value: string | undefined;
  isSecret: boolean;
}

export function settingIn(preview: Preview, config: ReadConfig | undefined, key: SettingName): Setting | undefined {
  const shown = preview.config?.[`gpufleet:${key}`];
  if (shown === undefined) return undefined;
  return shown === maskedSecret ? { value: config?.(key), isSecret: true } : { value: shown, isSecret: false };
}

/** The accounts with what each of them has. Warns of those that cannot be asked. */
export async function findAccounts(
  preview: Preview,
  changes: readonly Change[],
  { cwd, environment, config }: { cwd: string; environment: NodeJS.ProcessEnv; config: ReadConfig | undefined },
): Promise<AskedAccount[]> {
  const own = findService(preview, environment, config);
  const explicit = changes.filter(hasExplicitProvider);
  if (explicit.length === 0) return [{ title: undefined, runtime: own, changes: [...changes] }];
  const known = await explicitAccounts(preview, cwd, environment);
  const ownerOf = (change: Change) => known.find(({ has }) => has(change));
  for (const name of new Set(explicit.filter((change) => !ownerOf(change)).map(providerNameOf))) {
    complain(
      `gpufleet comment: warning: the balance and the prices of provider "${name}" are not available: its account is not in the state, or cannot be read`,
    );
  }
  const isOwn = (change: Change) => !hasExplicitProvider(change) || ownerOf(change)?.title === null;
  const others = known
    .filter(({ title }) => title !== null)
    .map(({ title, config, has }) => ({
      title: title ?? undefined,
      runtime: commandRuntime(config, environment),
      changes: changes.filter((change) => !isOwn(change) && has(change)),
    }));
  const unknown = changes.filter((change) => !isOwn(change) && !ownerOf(change));
  return [
    { title: undefined, runtime: own, changes: changes.filter(isOwn) },
    ...others,
    ...(unknown.length > 0 ? [{ title: "another provider", runtime: undefined, changes: unknown }] : []),
  ];
}

function providerNameOf({ provider = "" }: Change): string {
  return cleanText(nameOf(providerIn(provider)), { max: 120 });
}

interface ExplicitAccount {
  /** Null where it is that of the configuration, too. */
  title: string | null;
  config: ReadConfig;
  has(change: Change): boolean;
}

/** Those that the state has: where a key is sent comes from there, never from the preview. */
async function explicitAccounts(
  preview: Preview,
  cwd: string,
  environment: NodeJS.ProcessEnv,
): Promise<ExplicitAccount[]> {
  try {
    const stack = await stackOf(preview, cwd);
    if (!stack) return [];
    const { accounts } = await accountsOf(stack, await stack.exportState(), environment);
    return accounts.map(({ title = null, config, has }) => ({
      title,
      config,
      has: ({ urn, type, provider }) => has({ urn, type, provider }),
    }));
  } catch {
    return [];
  }
}

/**
 * The service, if a key is at hand. Where it is comes from the environment or from the stack's own configuration, never from
 * the preview: a file from elsewhere must not choose where a key is sent. Nor may the files of a checkout, where the environment says both.
 */
function findService(
  preview: Preview,
  environment: NodeJS.ProcessEnv,
  config: ReadConfig | undefined,
): Runtime | undefined {
  const harmless: ReadConfig = (key) =>
    key === "marketplacePriceUnit" ? settingIn(preview, undefined, key)?.value : undefined;
  const settings = withoutOtherHost(config ?? harmless, environment);
  const hasKey = Boolean(environment["GPUFLEET_API_KEY"] || settings("apiKey"));
  const hasUrl = Boolean(environment["GPUFLEET_BASE_URL"] || settings("baseUrl"));
  if (!hasKey || !hasUrl) return undefined;
  try {
    const runtime = commandRuntime(settings, environment);
    // Made now, so that a configuration that is wrong shows here and not half-way.
    void [runtime.client, runtime.settings];
    return runtime;
  } catch (error) {
    complain(`gpufleet comment: warning: the service cannot be asked: ${messageOf(error)}`);
    return undefined;
  }
}

function withoutOtherHost(config: ReadConfig, environment: NodeJS.ProcessEnv): ReadConfig {
  const { GPUFLEET_API_KEY: key, GPUFLEET_BASE_URL: url, GPUFLEET_V1_BASE_URL: v1Url } = environment;
  const configured = config("v1BaseUrl");
  if (!key || !url || v1Url || !configured || originOf(configured) === originOf(url)) return config;
  complain(
    "gpufleet comment: warning: gpufleet:v1BaseUrl is not used, because it is on another host than GPUFLEET_BASE_URL: set GPUFLEET_V1_BASE_URL to send the key there.",
  );
  return (name) => (name === "v1BaseUrl" ? undefined : config(name));
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

/** The resources of the stack's state. None where it cannot be read. */
export async function stateOf(preview: Preview, cwd: string): Promise<readonly StateResource[]> {
  const stack = await stackOf(preview, cwd);
  const state = await stack?.exportState().catch(() => undefined);
  return state ? resourcesOf(state) : [];
}

/** The stack that was previewed, if the project is here. By its full name, so that it is no other of the same name. */
async function stackOf(preview: Preview, cwd: string): Promise<Stack | undefined> {
  const identity = identityOf(preview);
  if (!identity || !(await findProject(resolve(cwd)))) return undefined;
  const { project, stack } = identity;
  const organization = organizationIn(preview);
  return new Stack({ cwd: resolve(cwd), stack: organization ? `${organization}/${project}/${stack}` : stack });
}

function organizationIn(preview: Preview): string | undefined {
  for (const { oldState, newState } of preview.steps ?? []) {
    const { organization } = readOrigin((newState ?? oldState)?.inputs["__origin"]);
    if (organization) return organization;
  }
  return undefined;
}
