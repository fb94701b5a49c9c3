import * as pulumi from "@pulumi/pulumi";
import type { Client } from "../provider/client";
import type { ReadConfig } from "../provider/fronts";
import { inUsd } from "../provider/shared/money";
import { serviceOption } from "../provider/shared/serviceOption";
import { dynamicPrefix, nativePrefix } from "../provider/shared/typeToken";
import { settingsOf } from "./provider";

/** Address and key of the service, instead of those in the environment and the stack's configuration. */
export interface Connection {
  baseUrl: string;
  /** Address of the v1 interface. Default: `baseUrl`. */
  v1BaseUrl?: string | undefined;
  apiKey?: string | undefined;
}

/** Options of every function that calls the service. */
export interface CallOptions {
  /** Another service or account than that of the stack, in a plain script. */
  connection?: Connection | undefined;
  /** Another service or account than that of the stack: a `Provider` of this package. */
  provider?: pulumi.ProviderResource | undefined;
  /** Whose provider is used, as a child would; `provider` takes precedence. */
  parent?: pulumi.Resource | undefined;
  signal?: AbortSignal | undefined;
}

/** The service as a function calls it. */
export interface Service {
  client: Client;
  /** Marketplace prices are in USD, as documented, unless the setting marketplacePriceUnit says cents. */
  priceInUsd(price: number): number;
  /** Shows a warning of this run. */
  warn(message: string): void;
  /** Whether nothing may be done that has an effect; where this is left out, the program knows. */
  isPreview?: boolean;
}

/** The service in the options. */
export function serviceIn(options: CallOptions & { [serviceOption]?: Service }): Service | undefined {
  return options[serviceOption];
}

const clients = new Map<string, Client>();

/**
 * The service for these options. Its client is created on first use: a program that only declares resources does not load it. The
 * environment takes precedence over the stack's configuration, as for resources; a plain script has only the environment.
 */
export async function connect(options: CallOptions): Promise<Service> {
  const { createClient }: typeof import("../provider/client") = require("../provider/client");
  const fronts: typeof import("../provider/fronts") = require("../provider/fronts");
  const config = await configFor(options);
  const connection = options.connection ?? fronts.readConnection(config, process.env);
  const key = JSON.stringify(connection);
  const client = clients.get(key) ?? createClient(connection);
  clients.set(key, client);
  return {
    client,
    warn: (message) => void pulumi.log.warn(message),
    priceInUsd: (price) => inUsd(price, fronts.readSettings(config, process.env).marketplacePriceUnit),
  };
}

/** The settings that a call goes by: those of its provider, or of the stack. */
async function configFor(options: CallOptions): Promise<ReadConfig> {
  const provider = providerFor(options);
  if (!provider) return (key) => new pulumi.Config("gpufleet").get(key);
  const settings = await knownValue(settingsFor(provider));
  if (!settings) {
    throw new pulumi.RunError(
      "the settings of the provider are not known yet in this preview: use the form of the function that gives an output, such as getBalanceOutput",
    );
  }
  return (key) => settings[key];
}

/** The provider that a call is for: its own, or that of its parent. */
export function providerFor({ provider, parent }: CallOptions): pulumi.ProviderResource | undefined {
  return provider ?? parent?.getProvider(`${dynamicPrefix}Function`) ?? parent?.getProvider(`${nativePrefix}Function`);
}

export function settingsFor(provider: pulumi.ProviderResource) {
  const settings = settingsOf(provider);
  if (!settings) {
    throw new pulumi.RunError("the provider of a function must be a Provider of pulumi-gpufleet");
  }
  return settings;
}

/** The value of an output; undefined where a preview does not know it. */
async function knownValue<Value>(output: pulumi.Output<Value>): Promise<Value | undefined> {
  // Pulumi does not declare the type of this property.
  if ((await Reflect.get(output, "isKnown")) === false) return undefined;
  return new Promise((resolve) => {
    output.apply(resolve);
  });
}
