import { createClient, systemClock } from "../../provider/client";
import { greetsSsh, type ReadConfig, readConnection, readSettings } from "../../provider/fronts";
import { type EngineLink, Memory, Pledges, type Runtime, SharedLists } from "../../provider/lifecycle";
import { kinds } from "../../provider/resources";

/**
 * What the provider's own code works with, here without an engine: the service that the stack is configured for, with the
 * environment before the configuration, as in the provider. Warnings go to standard error.
 */
export function createRuntime(config: ReadConfig, environment: NodeJS.ProcessEnv = process.env): Runtime {
  const client = createClient(readConnection(config, environment));
  return {
    client,
    clock: systemClock,
    random: Math.random,
    engine: noEngine,
    settings: readSettings(config, environment),
    lists: new SharedLists(client, systemClock),
    memory: new Memory(),
    pledges: new Pledges(),
    kinds,
    greetsSsh,
  };
}

const noEngine: EngineLink = {
  alive: async () => true,
  status: () => undefined,
  info: (_urn, text) => console.error(`gpufleet: ${text}`),
  warn: (_urn, text) => console.error(`gpufleet: warning: ${text}`),
};
