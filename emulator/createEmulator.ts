import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ConnectionCut } from "./connectionCut";
import { dialects } from "./dialects";
import {
  type Address,
  createService,
  FaultQueue,
  type FaultSpec,
  Gateway,
  type InjectAnswer,
  type InjectRequest,
  inject,
  Listener,
} from "./http";
import { type ObjectState, ownEndpoints, RequestLog, stateOf } from "./inspect";
import { attachmentsIn, openAllSsh, reuseId } from "./nouns";
import { defaults, type EmulatorOptions, settingsOf } from "./options";
import { SshServer } from "./sshServer";
import { EmulatorClock, FileJournal, noJournal, SshEndpoints, Store, type World } from "./state";

export interface Emulator {
  /** Listens on a loopback port; 0 picks a free one. */
  listen(port?: number): Promise<Address>;
  /** Stops listening and closes the data folder. */
  close(): Promise<void>;
  /** One exchange without sockets. Where a fault cuts the connection it rejects with a ConnectionCut. */
  inject(request: InjectRequest): Promise<InjectAnswer>;
  /** What `GET /_emulator/state` answers. */
  state(): ObjectState[];
  /** Which volume is attached to which rental now. */
  attachments(): { volumeId: number; rentalId: number }[];
  /** What `GET /_emulator/requests` answers. */
  requests(): { counts: Record<string, number>; total: number };
  /**
   * Gives the id of something that has ended to a new one with this label and nothing attached, as some services do. It is in the
   * same account, and ready.
   */
  reuseId(kind: ObjectState["kind"], id: number | string, label: string): void;
  /** Removes all objects, faults and counts, and sets the clock back. */
  reset(): void;
  readonly clock: { now(): number; advance(seconds: number): void };
  readonly faults: { add(...specs: FaultSpec[]): void; clear(): void };
}

/** See `emulator/index.ts`. */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const store = new Store(options.dataDir === undefined ? noJournal : new FileJournal(options.dataDir));
  const clock = new EmulatorClock(options.clock, (aheadMs) => store.commit({ kind: "clock", record: { aheadMs } }));
  clock.restore(store.aheadMs);
  const shell =
    options.sshServer && new SshServer(options.sshServer, options.dataDir && join(options.dataDir, "host-keys"));
  const ssh = new SshEndpoints(clock, options.ssh ?? defaults.ssh, shell);
  const dialect = dialects[options.dialect ?? defaults.dialect];
  const world: World = { settings: settingsOf(options), dialect, store, clock, ssh };
  const faults = new FaultQueue();
  const log = new RequestLog(() => clock.now());

  const reset = () => {
    store.reset();
    clock.restore(0);
    faults.clear();
    log.clear();
    ssh.closeEnded();
  };

  const service = createService(world, ownEndpoints({ world, faults, log, reset }));
  const sleep = options.sleep ?? ((milliseconds) => delay(milliseconds, undefined, { ref: false }));
  const gateway = new Gateway({
    service,
    faults,
    onRequest: (method, path) => log.begin(method, path),
    sleep,
    shownTime: () => clock.now() + world.settings.skewMs,
  });
  let listener: Listener | undefined;
  let closed = false;

  return {
    clock,
    faults,
    reset,
    state: () => stateOf(world),
    attachments: () => attachmentsIn(world),
    requests: () => log.read(),
    reuseId: (kind, id, label) => reuseId(world, kind, id, label),
    inject: async (request) => {
      if (closed) throw new ConnectionCut("the emulator is closed", "no");
      return inject((arrived) => gateway.exchange(arrived), request);
    },
    listen: async (port = defaults.port) => {
      if (closed || listener) throw new Error(closed ? "the emulator is closed" : "the emulator is already listening");
      listener = new Listener((request) => gateway.exchange(request));
      try {
        await shell?.check();
        // Before the service listens, so that no list shows a machine without its port.
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
