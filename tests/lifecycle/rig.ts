import { ConnectionCut, createEmulator, type Emulator, type EmulatorOptions, type FaultSpec } from "../../emulator";
import { type Client, type Clock, createClient, type Transport, TransportError } from "../../provider/client";

import { createRuntime, readSettings } from "../../provider/fronts";
import { noEngine, type RunScope, type Runtime, type Service, type Settings } from "../../provider/lifecycle";
import { VirtualClock } from "./virtualClock";

export const key = "rig-key-0123456789";
export const baseUrl = "https://gpu.example";
export const beginning = Date.UTC(2026, 8, 12, 12, 0, 0);

export const paths = {
  bareMetal: "/v2/alpha/on-demand/bare-metal-rentals",
  endBareMetal: "/v2/alpha/on-demand/bare-metal-rentals/terminate",
  vm: "/v2/alpha/on-demand/virtual-machine-rentals",
  endVm: "/v2/alpha/on-demand/virtual-machine-rentals/terminate",
  volumes: "/v2/alpha/on-demand/storage-volumes",
  attach: "/v2/alpha/on-demand/storage-volumes/attach",
  detach: "/v2/alpha/on-demand/storage-volumes/detach",
  deleteVolume: "/v2/alpha/on-demand/storage-volumes/delete",
  machines: "/v1/marketplace",
  instances: "/v1/marketplace/instances",
  createInstance: "/v1/marketplace/instances/create",
  endInstance: "/v1/marketplace/instances/terminate",
};

/** One line of what the engine was told to show. */
export interface Shown {
  kind: "status" | "warning" | "info";
  urn: string;
  text: string;
}

/** A provider process: what it has learnt dies with it. */
export interface ProviderProcess extends Runtime {
  readonly shown: Shown[];
  /** Whether the engine that started it is still there. */
  engineLives: boolean;
  /** Whether it does not answer for the moment. */
  engineIsSilent: boolean;
  /** Partial where its run has `--target`. */
  scope: RunScope;
  /** Whether the command is a destroy of everything. */
  endsAll: boolean;
}

export interface RigOptions {
  emulator?: EmulatorOptions;
  settings?: Partial<Settings>;
  /** From 0 to 1, for labels and jitter; seeded unless given. */
  random?: () => number;
  /** Whether an ssh endpoint answers; always unless given. */
  greetsSsh?: Runtime["greetsSsh"];
  /** What `nvidia-smi` on a machine says; nothing wrong unless given. */
  askGpus?: Runtime["askGpus"];
}

/** What lies between one provider process and the rig: where it can be disturbed. */
export interface Surroundings {
  /** Its way to the service. */
  wire?(transport: Transport): Transport;
  clock?: Clock;
  /** Where it believes the service to be, and as whom. */
  service?: Partial<Service>;
}

/**
 * The service in this process, and provider processes that talk to it without sockets, all by one clock: minutes of waiting
 * pass in milliseconds, and the same seed gives the same run.
 */
export interface Rig {
  readonly clock: VirtualClock;
  readonly emulator: Emulator;
  readonly client: Client;
  /** A provider process that has seen nothing yet. */
  startProvider(settings?: Partial<Settings>, surroundings?: Surroundings): ProviderProcess;
  /** Lets virtual time pass until the work is done. */
  run<Result>(work: Promise<Result>): Promise<Result>;
  fault(...specs: FaultSpec[]): void;
  /** How often this request came so far, like `POST /v2/…`. */
  count(method: string, path: string): number;
  /** Ids of everything that bills right now. */
  billing(): (number | string)[];
}

export function createRig(options: RigOptions = {}): Rig {
  const clock = new VirtualClock(beginning);
  const random = options.random ?? seededRandom(1);
  const emulator = createEmulator({
    apiKey: key,
    clock,
    sleep: (milliseconds) => clock.sleepAtWork(milliseconds),
    provisionSeconds: 30,
    endSeconds: 10,
    ...options.emulator,
  });
  const transport = transportTo(emulator, clock);
  const connect = ({ wire = same, clock: own = clock }: Surroundings = {}) =>
    createClient({ baseUrl, apiKey: key, transport: wire(transport), clock: own, random });

  return {
    clock,
    emulator,
    client: connect(),
    run: (work) => clock.run(work),
    fault: (...specs) => emulator.faults.add(...specs),
    count: (method, path) => emulator.requests().counts[`${method} ${path}`] ?? 0,
    billing: () =>
      emulator
        .state()
        .filter(({ billing }) => billing)
        .map(({ id }) => id),
    startProvider: (settings = {}, surroundings = {}) => {
      const shown: Shown[] = [];
      const show = (kind: Shown["kind"]) => (urn: string, text: string) => shown.push({ kind, urn, text });
      const runtime = createRuntime({
        client: () => connect(surroundings),
        service: () => ({
          addresses: { v2: baseUrl, v1: baseUrl },
          key: "rig",
          movedFrom: [],
          ...surroundings.service,
        }),
        isConfigured: () => true,
        settings: () => ({
          ...readSettings(() => undefined, {}),
          ...options.settings,
          ...settings,
        }),
        engine: {
          ...noEngine,
          ask: async () => (!provider.engineLives ? "gone" : provider.engineIsSilent ? "silent" : "answers"),
          scope: async () => provider.scope,
          endsAll: async () => provider.endsAll,
          status: show("status"),
          warn: show("warning"),
          info: show("info"),
        },
        clock: surroundings.clock ?? clock,
        random,
        greetsSsh: options.greetsSsh ?? (async () => true),
        forgetSsh: () => undefined,
        askGpus: options.askGpus ?? (async () => ({ kind: "gpus", count: 1024, troubles: [] })),
      });
      const scope: RunScope = "whole";
      const provider: ProviderProcess = Object.assign(runtime, {
        shown,
        engineLives: true,
        engineIsSilent: false,
        scope,
        endsAll: false,
      });
      return provider;
    },
  };
}

const same = (transport: Transport) => transport;

/** Exchanges with the emulator, complete when they come back: no virtual time passes in the middle of one. */
function transportTo(emulator: Emulator, clock: VirtualClock): Transport {
  return (request) =>
    clock.working(async () => {
      try {
        const answer = await emulator.inject(request);
        const read = await readAll(answer.body);
        return { status: answer.status, headers: answer.headers, body: replay(read) };
      } catch (error) {
        if (!(error instanceof ConnectionCut)) throw error;
        throw new TransportError(error.message, { sent: error.sent });
      }
    });
}

interface Read {
  chunks: Uint8Array[];
  cut: ConnectionCut | undefined;
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Read> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of body) chunks.push(chunk);
  } catch (error) {
    if (!(error instanceof ConnectionCut)) throw error;
    return { chunks, cut: error };
  }
  return { chunks, cut: undefined };
}

async function* replay({ chunks, cut }: Read): AsyncGenerator<Uint8Array> {
  yield* chunks;
  if (cut) throw new TransportError(cut.message, { sent: cut.sent });
}

/** Numbers from 0 to 1 that look random and are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
