import { packageVersion } from "../shared/packageVersion";
import { type ConfiguredOperations, Discovery, type ResolvedOperations, readConfiguredOperations } from "./discovery";
import { ConfigurationError, type SettingNames } from "./errors";
import type { Transport } from "./http";
import {
  type CallOptions,
  type Clock,
  createTransport,
  defaultLimits,
  Http,
  type Limits,
  readBaseUrl,
  systemClock,
} from "./http";
import {
  type DiscoveredMethods,
  discoveredMethods,
  type EndMethods,
  endMethods,
  type InferenceMethods,
  inferenceMethods,
  type ListMethods,
  listMethods,
  type PlainMethods,
  plainMethods,
  type SpecialMethods,
  specialMethods,
  type TimeMethods,
  timeMethods,
} from "./methods";

export interface ClientOptions {
  /** Where the v2 interface is. https, or http on a loopback address. */
  baseUrl: string;
  /** Where the v1 interface is: the same place unless given. */
  v1BaseUrl?: string | undefined;
  apiKey?: string | undefined;
  /** What these are called where they were given, for errors: by the environment and the stack's configuration unless said. */
  names?: SettingNames | undefined;
  /** How the service does the undocumented operations (the configuration `gpufleet:operations`). */
  operations?: ConfiguredOperations | undefined;
  /** Carries the requests; undici unless given. */
  transport?: Transport | undefined;
  clock?: Clock | undefined;
  /** From 0 to 1, for the jitter. */
  random?: (() => number) | undefined;
  limits?: Partial<Limits> | undefined;
  userAgent?: string | undefined;
}

/** One method per operation of the service. All of them fail with a ServiceError, and validate before they send. */
export interface Client
  extends PlainMethods,
    SpecialMethods,
    ListMethods,
    EndMethods,
    InferenceMethods,
    DiscoveredMethods,
    TimeMethods {
  /** How each undocumented operation is done on this service. */
  resolveOperations(options?: CallOptions): Promise<ResolvedOperations>;
  /** Waits for requests under way, a stream that is still open among them, and closes the connections. */
  close(): Promise<void>;
}

export function createClient(options: ClientOptions): Client {
  const baseUrl = readBaseUrl(options.baseUrl, "baseUrl");
  const v1BaseUrl = options.v1BaseUrl === undefined ? baseUrl : readBaseUrl(options.v1BaseUrl, "v1BaseUrl");
  const apiKey = readApiKey(options.apiKey);
  const configured = readConfiguredOperations(options.operations ?? {});
  const limits = { ...defaultLimits, ...options.limits };
  const { transport, close } = options.transport
    ? { transport: options.transport, close: async () => {} }
    : createTransport(limits);
  const http = new Http({
    baseUrls: { v2: baseUrl, v1: v1BaseUrl },
    apiKey,
    names: options.names ?? {},
    userAgent: options.userAgent ?? `pulumi-gpufleet/${packageVersion()}`,
    transport,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    limits,
  });
  const discovery = new Discovery(http, configured);
  return {
    ...plainMethods(http),
    ...specialMethods(http),
    ...listMethods(http),
    ...endMethods(http),
    ...inferenceMethods(http),
    ...discoveredMethods(http, discovery),
    ...timeMethods(http),
    resolveOperations: (options) => discovery.resolveAll(options),
    close,
  };
}

/** A key that cannot be sent in a header was mistyped; it is not shown in the error. */
function readApiKey(given: string | undefined): string | undefined {
  const key = given?.trim();
  if (key === undefined || key === "") return undefined;
  if (/^[!-~]+$/.test(key)) return key;
  throw new ConfigurationError("the API key contains spaces, line breaks or non-ASCII characters");
}
