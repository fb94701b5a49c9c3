import { type Client, type ClientOptions, type Clock, createClient, systemClock } from "../client";
import {
  type EngineLink,
  Forecast,
  Memory,
  noWitness,
  type OwnProvider,
  Pledges,
  type Runtime,
  type Service,
  type Settings,
  SharedLists,
  type StateWitness,
  witnessFor,
} from "../lifecycle";
import { handlers, owned } from "../resources";
import {
  hasBaseUrl,
  providerOf,
  type ReadConfig,
  readConnection,
  readService,
  readSettings,
  whatIsMissing,
} from "./configuration";
import { withTimeout } from "./customTimeouts";
import { forgetSsh } from "./forgetSsh";
import { askGpus } from "./gpuProbe";
import { greetsSsh } from "./sshGreeting";

/** What differs between a provider process, the command line, the tests and the benchmark. */
export interface RuntimeParts {
  /** Made when it is first used, and once. */
  client(): Client;
  /** Where the service is, and who asks. */
  service(): Service;
  /** Whether that is known. */
  isConfigured(): boolean;
  /** What it lacks, in words; nothing unless given. */
  missing?(): string | undefined;
  /** Read when they are first used, and once. */
  settings(): Settings;
  /** The stack's state; none unless given. */
  state?: StateWitness;
  engine: EngineLink;
  clock?: Clock;
  /** From 0 to 1, for labels and jitter. */
  random?: () => number;
  greetsSsh?: Runtime["greetsSsh"];
  askGpus?: Runtime["askGpus"];
  forgetSsh?: Runtime["forgetSsh"];
}

/** What every operation works with. Nothing that needs the configuration is made before it is used: a preview needs none. */
export function createRuntime(parts: RuntimeParts): Runtime {
  const clock = parts.clock ?? systemClock;
  let client: Client | undefined;
  let settings: Settings | undefined;
  let service: Service | undefined;
  let lists: SharedLists | undefined;
  return {
    clock,
    random: parts.random ?? Math.random,
    engine: parts.engine,
    state: parts.state ?? noWitness,
    greetsSsh: parts.greetsSsh ?? greetsSsh,
    askGpus: parts.askGpus ?? askGpus,
    forgetSsh: parts.forgetSsh ?? forgetSsh,
    owned,
    async deleteEntry({ type, id, outputs, deleteSeconds = 0 }) {
      const handler = handlers.get(type);
      if (!handler) throw new Error(`pulumi-gpufleet has no resource type ${type}`);
      await handler.delete(this, id, withTimeout(outputs, "delete", deleteSeconds));
    },
    memory: new Memory(),
    pledges: new Pledges(),
    forecast: new Forecast(),
    get client() {
      client ??= parts.client();
      return client;
    },
    get service() {
      service ??= parts.service();
      return service;
    },
    get isConfigured() {
      return parts.isConfigured();
    },
    get missing() {
      return parts.missing?.();
    },
    get settings() {
      settings ??= parts.settings();
      return settings;
    },
    get lists() {
      lists ??= new SharedLists(this.client, clock, this.settings.prices);
      return lists;
    },
  };
}

/** The same runtime with randomness of its own. */
export function withRandom(runtime: Runtime, random: () => number): Runtime {
  // Not spread: what is made when it is first used must stay so, and be the same in both.
  return Object.create(runtime, { random: { value: random, enumerable: true } });
}

/** The same for the service that a configuration names, with the environment before it. */
export function configuredRuntime(
  config: ReadConfig,
  {
    isDefault,
    ...parts
  }: Pick<RuntimeParts, "engine" | "state" | "clock" | "greetsSsh" | "askGpus"> &
    Pick<ClientOptions, "transport"> &
    Pick<OwnProvider, "isDefault">,
  environment: NodeJS.ProcessEnv = process.env,
): Runtime {
  const isConfigured = () => hasBaseUrl(config, environment);
  const service = () => readService(config, environment);
  const { state, clock, transport } = parts;
  const own = { urn: providerOf(config), isDefault };
  return createRuntime({
    client: () => createClient({ ...readConnection(config, environment), clock, transport }),
    service,
    isConfigured,
    missing: () => whatIsMissing(config, environment),
    settings: () => readSettings(config, environment),
    ...parts,
    ...(state && { state: witnessFor(own, () => (isConfigured() ? service() : undefined), state) }),
  });
}
