import * as pulumi from "@pulumi/pulumi";
import type { Client } from "../provider/client";

/** Where the service is, if it is not where the environment and the stack's configuration say. */
export interface Connection {
  baseUrl: string;
  /** Where the v1 interface is: the same place unless given. */
  v1BaseUrl?: string | undefined;
  apiKey?: string | undefined;
}

/** How a function reaches the service. */
export interface CallOptions {
  /** Another service or account than the stack's own. */
  connection?: Connection | undefined;
  signal?: AbortSignal | undefined;
}

const clients = new Map<string, Client>();

/**
 * The client for these options, made when it is first needed: a program that only declares resources does not load it. The
 * environment wins over the stack's configuration, as it does for resources; a plain script has only the former.
 */
export function connect({ connection }: CallOptions): Client {
  const { createClient }: typeof import("../provider/client") = require("../provider/client");
  const options = connection ?? readConfigured();
  const key = JSON.stringify(options);
  const client = clients.get(key) ?? createClient(options);
  clients.set(key, client);
  return client;
}

/** Whether marketplace prices come in USD, as documented, or in cents. */
export function marketplacePriceInUsd(price: number): number {
  const { readSettings }: typeof import("../provider/configuration") = require("../provider/configuration");
  return readSettings(readConfig, process.env).marketplacePriceUnit === "cents" ? price / 100 : price;
}

function readConfigured() {
  const { readConnection }: typeof import("../provider/configuration") = require("../provider/configuration");
  return readConnection(readConfig, process.env);
}

function readConfig(key: string): string | undefined {
  return new pulumi.Config("gpufleet").get(key);
}
