import { type Client, type Clock, createClient, systemClock } from "../client";
import { type EngineLink, Memory, Pledges, type Runtime, type Settings, SharedLists } from "../lifecycle";
import { kinds } from "../resources";
import { type ReadConfig, readConnection, readSettings } from "./configuration";
import { greetsSsh } from "./sshGreeting";

/** What differs between a provider process, the command line, the tests and the benchmark. */
export interface RuntimeParts {
  /** Made when it is first used, and once. */
  client(): Client;
  /** Read when they are first used, and once. */
  settings(): Settings;
  engine: EngineLink;
  clock?: Clock;
  /** From 0 to 1, for labels and jitter. */
  random?: () => number;
  greetsSsh?: Runtime["greetsSsh"];
}

/** What every operation works with. Nothing that needs the configuration is made before it is used: a preview needs none. */
export function createRuntime(parts: RuntimeParts): Runtime {
  const clock = parts.clock ?? systemClock;
  let client: Client | undefined;
  let settings: Settings | undefined;
  let lists: SharedLists | undefined;
  return {
    clock,
    random: parts.random ?? Math.random,
    engine: parts.engine,
    greetsSsh: parts.greetsSsh ?? greetsSsh,
    kinds,
    memory: new Memory(),
    pledges: new Pledges(),
    get client() {
      client ??= parts.client();
      return client;
    },
    get settings() {
      settings ??= parts.settings();
      return settings;
    },
    get lists() {
      lists ??= new SharedLists(this.client, clock);
      return lists;
    },
  };
}

/** The same for the service that a configuration names, with the environment before it. */
export function configuredRuntime(
  config: ReadConfig,
  engine: EngineLink,
  environment: NodeJS.ProcessEnv = process.env,
): Runtime {
  return createRuntime({
    client: () => createClient(readConnection(config, environment)),
    settings: () => readSettings(config, environment),
    engine,
  });
}
