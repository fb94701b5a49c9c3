import { configuredRuntime, type ReadConfig } from "../../provider/fronts";
import type { EngineLink, Runtime, StateWitness } from "../../provider/lifecycle";

/**
 * What the provider's own code works with, here without an engine: the service that the stack is configured for, with the
 * environment before the configuration, as in the provider. Warnings go to standard error.
 */
export function commandRuntime(
  config: ReadConfig,
  environment: NodeJS.ProcessEnv = process.env,
  state?: StateWitness,
): Runtime {
  return configuredRuntime(config, { engine: noEngine, ...(state && { state }) }, environment);
}

const noEngine: EngineLink = {
  alive: async () => true,
  status: () => undefined,
  info: (_urn, text) => console.error(`gpufleet: ${text}`),
  warn: (_urn, text) => console.error(`gpufleet: warning: ${text}`),
};
