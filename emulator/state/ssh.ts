import { createServer, type Server, type Socket } from "node:net";
import type { TimeSource } from "../options";
import { isPresent, type Life, phaseAt } from "./transitions";

const defaultUser = "ubuntu";
const loopback = "127.0.0.1";
const banner = "SSH-2.0-gpufleet-emulator\r\n";
const sweepMs = 1000;

export interface SshMachine {
  life: Life;
  ssh: {
    port: number | null;
    delayMs: number | null;
    /** How many of its GPUs nobody finds, and how many answer with an error. */
    gpuTrouble?: { missing: number; broken: number } | undefined;
  };
  gpuCount: number;
  /** What a rental calls its GPUs, and what a marketplace instance does. */
  gpuType?: string;
  gpuModel?: string;
}

/** What is behind the endpoints: a shell, where the emulator has one. */
export interface SshShell {
  /** Who can log in. */
  readonly user: string;
  /** Talks to whoever has connected to the machine. */
  serve(key: string, machine: SshMachine, socket: Socket): void;
  /** Ends what runs on the machine. */
  end(key: string): void;
  close(): void;
}

export function answersToSsh(machine: SshMachine, at: number): boolean {
  const { delayMs } = machine.ssh;
  return delayMs !== null && phaseAt(machine.life, at) === "ready" && at >= machine.life.readyAt + delayMs;
}

/**
 * A loopback listener per machine, from its creation to its end. Whether it sends a banner is decided when somebody
 * connects, by the emulator's clock: until the machine is ready the connection is closed without a banner.
 */
export class SshEndpoints {
  readonly #open = new Map<string, { server: Server; find: () => SshMachine | undefined }>();
  #sweep: NodeJS.Timeout | undefined;

  constructor(
    private readonly clock: TimeSource,
    private readonly enabled: boolean,
    private readonly shell?: SshShell,
  ) {}

  /** Where a machine answers. Without a port, as when no sockets are open, it has an address that never resolves. */
  endpoint(id: number | string, machine: SshMachine): { host: string; port: number; user: string } {
    const { port } = machine.ssh;
    const user = this.shell?.user ?? defaultUser;
    return port === null ? { host: `machine-${id}.invalid`, port: 22, user } : { host: loopback, port, user };
  }

  start(): void {
    if (!this.enabled) return;
    this.#sweep ??= setInterval(() => this.closeEnded(), sweepMs).unref();
  }

  stop(): void {
    clearInterval(this.#sweep);
    this.#sweep = undefined;
    for (const { server } of this.#open.values()) server.close();
    this.#open.clear();
    this.shell?.close();
  }

  /** Opens the machine's endpoint and returns its port; null where sockets are off or none is left. */
  async open(key: string, find: () => SshMachine | undefined): Promise<number | null> {
    if (this.#sweep === undefined) return null;
    const server = createServer((socket) => {
      socket.on("error", () => socket.destroy());
      const machine = find();
      if (!machine || !answersToSsh(machine, this.clock.now())) socket.destroy();
      else if (this.shell) this.shell.serve(key, machine, socket);
      else socket.end(banner);
    }).unref();
    this.#open.set(key, { server, find });
    const port = (await listen(server, find()?.ssh.port ?? 0)) ?? (await listen(server, 0));
    if (port === null) this.#close(key);
    return port;
  }

  closeEnded(): void {
    const at = this.clock.now();
    for (const [key, { find }] of this.#open) {
      const machine = find();
      if (!machine || !isPresent(phaseAt(machine.life, at))) this.#close(key);
    }
  }

  #close(key: string): void {
    this.#open.get(key)?.server.close();
    this.shell?.end(key);
    this.#open.delete(key);
  }
}

function listen(server: Server, port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const refused = () => resolve(null);
    server.once("error", refused);
    server.listen(port, loopback, () => {
      server.off("error", refused);
      // A later failure, such as no descriptor left for a connection, must not end the emulator.
      server.on("error", () => {});
      const address = server.address();
      resolve(typeof address === "object" ? (address?.port ?? null) : null);
    });
  });
}
