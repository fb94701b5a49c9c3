import { setTimeout as delay } from "node:timers/promises";
import { EmulatorClock } from "./clock";
import { describeService } from "./description";
import { type Dialect, dialects } from "./dialects";
import { Exchanges } from "./exchange";
import { type FaultSpec, Faults } from "./faults";
import { ConnectionCut, type InjectAnswer, type InjectRequest, inject } from "./inject";
import { type ObjectState, stateOf } from "./inspection";
import { FileJournal, noJournal } from "./journal";
import { type Address, Listener } from "./listener";
import { openSsh as openInstanceSsh } from "./marketplaceInstance";
import { defaults, type EmulatorOptions, settingsOf } from "./options";
import { ownEndpoints } from "./ownEndpoints";
import { openSsh as openRentalSsh } from "./rental";
import { RequestLog } from "./requestLog";
import { type Route, routesOf } from "./routes";
import { createService } from "./service";
import { SshEndpoints } from "./ssh";
import { Store } from "./store";
import { isPresent, phaseAt } from "./transitions";
import type { World } from "./world";

export type { FaultSpec } from "./faults";
export type { InjectAnswer, InjectRequest } from "./inject";
export { ConnectionCut } from "./inject";
export type { ObjectState } from "./inspection";
export type { Address } from "./listener";
export { type DialectName, defaults, dialectNames, type EmulatorOptions } from "./options";

export interface Emulator {
  /** Listens on a loopback port; 0 picks one. */
  listen(port?: number): Promise<Address>;
  /** Stops listening and lets go of the data folder. */
  close(): Promise<void>;
  /** One exchange without sockets. Where a fault cuts the connection it rejects with a ConnectionCut. */
  inject(request: InjectRequest): Promise<InjectAnswer>;
  /** What `GET /_emulator/state` answers. */
  state(): ObjectState[];
  /** What `GET /_emulator/requests` answers. */
  requests(): { counts: Record<string, number>; total: number };
  /** Back to the beginning: no objects, faults or counts, and the time of the source. */
  reset(): void;
  readonly clock: { now(): number; advance(seconds: number): void };
  readonly faults: { add(...specs: FaultSpec[]): void; clear(): void };
}

/** The service in this process: its state, its answers over HTTP or without, and the means to steer it. */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const store = new Store(options.dataDir === undefined ? noJournal : new FileJournal(options.dataDir));
  const clock = new EmulatorClock(options.clock, (aheadMs) => store.commit({ of: "clock", is: { aheadMs } }));
  clock.restore(store.aheadMs);
  const ssh = new SshEndpoints(clock, options.ssh ?? defaults.ssh);
  const dialect = dialects[options.dialect ?? defaults.dialect];
  const world: World = { settings: settingsOf(options), dialect, store, clock, ssh };
  const faults = new Faults();
  const log = new RequestLog();

  const reset = () => {
    store.reset();
    clock.restore(0);
    faults.clear();
    log.clear();
    ssh.closeEnded();
  };

  const routes: Route[] = routesOf(world, () => descriptionOf(dialect, routes));
  const service = createService(world, routes, ownEndpoints({ world, faults, log, reset }));
  const sleep = options.sleep ?? ((milliseconds) => delay(milliseconds, undefined, { ref: false }));
  const exchanges = new Exchanges(service, faults, log, sleep);
  let listener: Listener | undefined;
  let closed = false;

  return {
    clock,
    faults,
    reset,
    state: () => stateOf(world),
    requests: () => log.read(),
    inject: async (request) => {
      if (closed) throw new ConnectionCut("the emulator is closed", "no");
      return inject((arrived) => exchanges.exchange(arrived), request);
    },
    listen: async (port = defaults.port) => {
      if (closed || listener) throw new Error(closed ? "the emulator is closed" : "the emulator already listens");
      listener = new Listener((request) => exchanges.exchange(request));
      try {
        // The endpoints first: no list is to show a machine without its port.
        ssh.start();
        await openAllSsh(world);
        return await listener.listen(port);
      } catch (error) {
        ssh.stop();
        listener = undefined;
        throw error;
      }
    },
    close: async () => {
      if (closed) return;
      closed = true;
      ssh.stop();
      await listener?.close();
      store.close();
    },
  };
}

/** Endpoints for the machines that are there already: made before listening, or kept from an earlier run. */
async function openAllSsh(world: World): Promise<void> {
  const at = world.clock.now();
  for (const { id, life } of world.store.rentals.values()) {
    if (isPresent(phaseAt(life, at))) await openRentalSsh(world, id);
  }
  for (const { id, life } of world.store.instances.values()) {
    if (isPresent(phaseAt(life, at))) await openInstanceSsh(world, id);
  }
}

/** Depends on the dialect alone, and takes longer to make than anything else here: made once, and as text. */
const descriptions = new WeakMap<Dialect, string>();

function descriptionOf(dialect: Dialect, routes: readonly Route[]): string {
  const known = descriptions.get(dialect);
  if (known !== undefined) return known;
  const made = JSON.stringify(describeService(routes, dialect));
  descriptions.set(dialect, made);
  return made;
}
