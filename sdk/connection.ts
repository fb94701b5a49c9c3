import * as pulumi from "@pulumi/pulumi";
import type { Client } from "../provider/client";

/** Address and key of the service, instead of those in the environment and the stack's configuration. */
export interface Connection {
  baseUrl: string;
  /** Address of the v1 interface. Default: `baseUrl`. */
  v1BaseUrl?: string | undefined;
  apiKey?: string | undefined;
}

/** Options of every function that calls the service. */
export interface CallOptions {
  /** Another service or account than that of the stack. */
  connection?: Connection | undefined;
  signal?: AbortSignal | undefined;
}

const clients = new Map<string, Client>();

/**
 * The client for these options, created on first use: a program that only declares resources does not load it. The
 * environment takes precedence over the stack's configuration, as for resources; a plain script has only the environment.
 */
export function connect({ connection }: CallOptions): Client {
  const { createClient }: typeof import("../provider/client") = require("../provider/client");
  const options = connection ?? readConfigured();
  const key = JSON.stringify(options);
  const client = clients.get(key) ?? createClient(options);
  clients.set(key, client);
  return client;
}

/** Marketplace prices are in USD, as documented, unless the setting marketplacePriceUnit says cents. */
export function marketplacePriceInUsd(price: number): number {
  const { readSettings }: typeof import("../provider/fronts") = require("../provider/fronts");
  return readSettings(readConfig, process.env).marketplacePriceUnit === "cents" ? price / 100 : price;
}

function readConfigured() {
  const { readConnection }: typeof import("../provider/fronts") = require("../provider/fronts");
  return readConnection(readConfig, process.env);
}

function readConfig(key: string): string | undefined {
  return new pulumi.Config("gpufleet").get(key);
}
