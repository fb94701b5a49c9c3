import { homedir } from "node:os";
import { type ClientOptions, ConfigurationError, readBaseUrl } from "../client";
import { defaultReconcileSeconds, oneWay, type Service, type Settings } from "../lifecycle";
import { messageOf } from "../shared/messageOf";
import { noPrices, type Prices, readPrices, whyEmpty } from "../shared/prices";
import type { SettingName } from "../shared/settingNames";
import { explicitProviderKey } from "../shared/stub";
import { nameOf } from "../shared/urn";

/** Reads a setting: `gpufleet:<key>` of the stack's configuration, or of an explicit provider. */
export type ReadConfig = (key: string) => string | undefined;

/** The URN of the explicit provider that a configuration is of; undefined for that of the stack. */
export function providerOf(config: ReadConfig): string | undefined {
  return config(explicitProviderKey) || undefined;
}

/** Where the service is and who asks. */
export function readConnection(config: ReadConfig, environment: NodeJS.ProcessEnv): ClientOptions {
  const { baseUrl, v1BaseUrl, apiKey } = addressAndKey(config, environment);
  if (!baseUrl) throw new ConfigurationError(noBaseUrl(config));
  return {
    baseUrl,
    v1BaseUrl: v1BaseUrl || undefined,
    apiKey,
    operations: readJson(config, "operations"),
    ...namesOf(config),
  };
}

/** What an explicit provider calls its own: what the environment adds to it is called as everywhere. */
function namesOf(config: ReadConfig): Pick<ClientOptions, "names"> {
  if (providerOf(config) === undefined) return {};
  const own = (["apiKey", "baseUrl", "v1BaseUrl"] as const).filter((key) => config(key)?.trim());
  return { names: Object.fromEntries(own.map((key) => [key, settingName(config, key)])) };
}

function noBaseUrl(config: ReadConfig): string {
  const provider = providerOf(config);
  return provider === undefined
    ? "no base URL: set GPUFLEET_BASE_URL, or run `pulumi config set gpufleet:baseUrl https://…`. To try it without an account, run `gpufleet emulator`"
    : `no base URL: give baseUrl to Provider "${nameOf(provider)}", or set GPUFLEET_BASE_URL. The stack's configuration is only for resources without a provider of their own`;
}

function noApiKey(config: ReadConfig): string {
  const provider = providerOf(config);
  return provider === undefined
    ? "no API key: set GPUFLEET_API_KEY, or run `pulumi config set --secret gpufleet:apiKey`"
    : `no API key: give apiKey to Provider "${nameOf(provider)}", or set GPUFLEET_API_KEY together with GPUFLEET_BASE_URL`;
}

/** What is not said and must be, or cannot be read, before the service can be asked for anything. */
export function whatIsMissing(config: ReadConfig, environment: NodeJS.ProcessEnv): string | undefined {
  try {
    const { baseUrl, v1BaseUrl, apiKey } = readConnection(config, environment);
    readBaseUrl(baseUrl, "baseUrl");
    if (v1BaseUrl !== undefined) readBaseUrl(v1BaseUrl, "v1BaseUrl");
    return apiKey === undefined ? noApiKey(config) : undefined;
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
}

interface AddressAndKey {
  baseUrl: string | undefined;
  v1BaseUrl: string | undefined;
  apiKey: string | undefined;
}

/**
 * The environment wins over the stack's configuration: refresh and destroy see the configuration of the last `up`, so a key
 * that was rotated since could otherwise lock a stack out. What an explicit provider says itself wins over both.
 */
function addressAndKey(config: ReadConfig, environment: NodeJS.ProcessEnv): AddressAndKey {
  const around = {
    baseUrl: environment["GPUFLEET_BASE_URL"],
    v1BaseUrl: environment["GPUFLEET_V1_BASE_URL"],
    apiKey: readKey(environment["GPUFLEET_API_KEY"]),
  };
  const own = { baseUrl: config("baseUrl"), v1BaseUrl: config("v1BaseUrl"), apiKey: readKey(config("apiKey")) };
  return providerOf(config) === undefined ? firstOf(around, own) : firstOf(own, fallbackFor(own, around));
}

/** What the environment adds to an explicit provider: its key goes to no other address than its own. */
function fallbackFor(own: AddressAndKey, around: AddressAndKey): AddressAndKey {
  if (!own.baseUrl) return around;
  const isElsewhere =
    around.baseUrl && readBaseUrl(own.baseUrl, "baseUrl") !== readBaseUrl(around.baseUrl, "GPUFLEET_BASE_URL");
  return { baseUrl: undefined, v1BaseUrl: undefined, apiKey: isElsewhere ? undefined : around.apiKey };
}

function firstOf(one: AddressAndKey, other: AddressAndKey): AddressAndKey {
  return {
    baseUrl: one.baseUrl || other.baseUrl,
    v1BaseUrl: one.v1BaseUrl || other.v1BaseUrl,
    apiKey: one.apiKey || other.apiKey,
  };
}

/** A key as it is sent. One from a mounted file has a line break behind it, which is not part of it. */
function readKey(text: string | undefined): string | undefined {
  return text?.trim() || undefined;
}

/** What must never be shown. */
export function readSecrets(config: ReadConfig, environment: NodeJS.ProcessEnv): string[] {
  return [readKey(environment["GPUFLEET_API_KEY"]), readKey(config("apiKey"))].filter((key) => key !== undefined);
}

/** Where the service is and who asks, as states are held against it. */
export function readService(config: ReadConfig, environment: NodeJS.ProcessEnv): Service {
  const { baseUrl, v1BaseUrl = baseUrl, apiKey } = readConnection(config, environment);
  const moved = environment["GPUFLEET_MOVED_FROM"] || config("movedFrom") || "";
  const provider = providerOf(config);
  return {
    provider: provider && nameOf(provider),
    addresses: { v2: readBaseUrl(baseUrl, "baseUrl"), v1: readBaseUrl(v1BaseUrl, "v1BaseUrl") },
    key: apiKey === undefined ? undefined : oneWay("key", apiKey),
    movedFrom: moved
      .split(",")
      .map((address) => address.trim())
      .filter(Boolean)
      .map((address) => readBaseUrl(address, "movedFrom")),
    ...(environment["GPUFLEET_SAME_ACCOUNT"] === "1" && { isSameAccount: true }),
  };
}

/** Whether it is said where the service is. */
export function hasBaseUrl(config: ReadConfig, environment: NodeJS.ProcessEnv): boolean {
  return Boolean(environment["GPUFLEET_BASE_URL"] || config("baseUrl"));
}

export function readSettings(config: ReadConfig, environment: NodeJS.ProcessEnv): Settings {
  const unit = config("marketplacePriceUnit") ?? "usd";
  if (unit !== "usd" && unit !== "cents") {
    throw new ConfigurationError(
      `${settingName(config, "marketplacePriceUnit")} must be usd or cents, not ${JSON.stringify(unit)}`,
    );
  }
  return {
    namespace: config("namespace") ?? "",
    maxCostPerHour: readNumber(config, "maxCostPerHour", config("maxCostPerHour")),
    maxCostPerHourName: settingName(config, "maxCostPerHour"),
    prices: readPriceBook(config),
    listLagMs:
      1000 *
      (readNumber(
        config,
        "reconcileSeconds",
        oneOf(config, environment, "reconcileSeconds", "GPUFLEET_RECONCILE_SECONDS"),
      ) ?? defaultReconcileSeconds),
    marketplacePriceUnit: unit,
    confirmGone: environment["GPUFLEET_CONFIRM_GONE"] === "1",
    endExpired: environment["GPUFLEET_END_EXPIRED"] === "1",
    sshKeyFile: withHome(oneOf(config, environment, "sshKeyFile", "GPUFLEET_SSH_KEY_FILE")),
  };
}

/** A setting as whoever wrote it knows it. */
export function settingName(config: ReadConfig, key: SettingName): string {
  const provider = providerOf(config);
  return provider === undefined ? `gpufleet:${key}` : `${key} of Provider "${nameOf(provider)}"`;
}

function readPriceBook(config: ReadConfig): Prices {
  const text = config("prices");
  // An empty one is refused where it is given. One that a state has must not keep anything from being ended.
  if (text === undefined || whyEmpty(text)) return noPrices;
  try {
    return readPrices(text);
  } catch (error) {
    throw new ConfigurationError(`${settingName(config, "prices")} ${messageOf(error)}`);
  }
}

/** The environment wins over the stack's configuration, and what an explicit provider says itself over both. */
function oneOf(
  config: ReadConfig,
  environment: NodeJS.ProcessEnv,
  key: SettingName,
  variable: string,
): string | undefined {
  const [around, own] = [environment[variable], config(key)];
  return (providerOf(config) === undefined ? around || own : own || around) || undefined;
}

function withHome(path: string | undefined): string | undefined {
  return path?.replace(/^~(?=\/)/, homedir());
}

function readNumber(config: ReadConfig, key: SettingName, text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  const value = Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  throw new ConfigurationError(`${settingName(config, key)} must be a number, 0 or more, not ${JSON.stringify(text)}`);
}

function readJson(config: ReadConfig, key: SettingName) {
  const text = config(key);
  if (text === undefined || text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new ConfigurationError(
      `${settingName(config, key)} must be valid JSON, not ${JSON.stringify(text.slice(0, 80))}`,
    );
  }
}
