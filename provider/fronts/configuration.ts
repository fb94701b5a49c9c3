import { type ClientOptions, ConfigurationError, readBaseUrl } from "../client";
import { defaultReconcileSeconds, messageOf, oneWay, type Service, type Settings } from "../lifecycle";
import { noPrices, type Prices, readPrices } from "../shared/prices";

/** Reads a key of the stack's configuration, `gpufleet:<key>`. */
export type ReadConfig = (key: string) => string | undefined;

/**
 * Where the service is and who asks. The environment wins over the stack's configuration: refresh and destroy see the
 * configuration of the last `up`, so a key that was rotated since could otherwise lock a stack out.
 */
export function readConnection(config: ReadConfig, environment: NodeJS.ProcessEnv): ClientOptions {
  const baseUrl = environment["GPUFLEET_BASE_URL"] || config("baseUrl");
  if (!baseUrl) {
    throw new ConfigurationError(
      "no base URL: set GPUFLEET_BASE_URL, or run `pulumi config set gpufleet:baseUrl https://…`. To try it without an account, run `gpufleet emulator`",
    );
  }
  return {
    baseUrl,
    v1BaseUrl: environment["GPUFLEET_V1_BASE_URL"] || config("v1BaseUrl") || undefined,
    apiKey: readKey(environment["GPUFLEET_API_KEY"]) ?? readKey(config("apiKey")),
    operations: readJson("operations", config("operations")),
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
  return {
    addresses: { v2: readBaseUrl(baseUrl, "baseUrl"), v1: readBaseUrl(v1BaseUrl, "v1BaseUrl") },
    key: apiKey === undefined ? undefined : oneWay("key", apiKey),
    movedFrom: moved
      .split(",")
      .map((address) => address.trim())
      .filter(Boolean)
      .map((address) => readBaseUrl(address, "movedFrom")),
  };
}

/** Whether it is said where the service is. */
export function hasBaseUrl(config: ReadConfig, environment: NodeJS.ProcessEnv): boolean {
  return Boolean(environment["GPUFLEET_BASE_URL"] || config("baseUrl"));
}

export function readSettings(config: ReadConfig, environment: NodeJS.ProcessEnv): Settings {
  const unit = config("marketplacePriceUnit") ?? "usd";
  if (unit !== "usd" && unit !== "cents") {
    throw new ConfigurationError(`gpufleet:marketplacePriceUnit must be usd or cents, not ${JSON.stringify(unit)}`);
  }
  return {
    namespace: config("namespace") ?? "",
    maxCostPerHour: readNumber("maxCostPerHour", config("maxCostPerHour")),
    prices: readPriceBook(config("prices")),
    listLagMs:
      1000 *
      (readNumber("reconcileSeconds", environment["GPUFLEET_RECONCILE_SECONDS"] || config("reconcileSeconds")) ??
        defaultReconcileSeconds),
    marketplacePriceUnit: unit,
    confirmGone: environment["GPUFLEET_CONFIRM_GONE"] === "1",
  };
}

function readPriceBook(text: string | undefined): Prices {
  if (text === undefined || text === "") return noPrices;
  try {
    return readPrices(text);
  } catch (error) {
    throw new ConfigurationError(`gpufleet:prices ${messageOf(error)}`);
  }
}

function readNumber(key: string, text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  const value = Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  throw new ConfigurationError(`gpufleet:${key} must be a number, 0 or more, not ${JSON.stringify(text)}`);
}

function readJson(key: string, text: string | undefined) {
  if (text === undefined || text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new ConfigurationError(`gpufleet:${key} must be valid JSON, not ${JSON.stringify(text.slice(0, 80))}`);
  }
}
