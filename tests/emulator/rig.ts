import { createEmulator, type Emulator, type EmulatorOptions } from "../../emulator";

/** A moment to begin at, and a clock that stands still unless it is moved. */
export const beginning = Date.UTC(2026, 8, 12, 13, 59, 0, 123);

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The text as JSON, where it is JSON. */
  body: unknown;
}

export interface Rig {
  emulator: Emulator;
  /** Sends a request with the key and reads the whole answer. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** The same, and it must be answered with 200. */
  ok(method: string, path: string, body?: unknown): Promise<unknown>;
}

export const key = "test-key";
export const paths = {
  bareMetal: "/v2/alpha/on-demand/bare-metal-rentals",
  vm: "/v2/alpha/on-demand/virtual-machine-rentals",
  volumes: "/v2/alpha/on-demand/storage-volumes",
  market: "/v1/marketplace",
  instances: "/v1/marketplace/instances",
  balance: "/billing/get_current_balance",
};

/** An emulator without sockets, whose time stands still. */
export function createRig(options: EmulatorOptions = {}): Rig {
  const emulator = createEmulator({ apiKey: key, clock: { now: () => beginning }, ...options });
  const call: Rig["call"] = async (method, path, body, headers = {}) => {
    const answer = await emulator.inject({
      method,
      url: path,
      headers: { authorization: `Bearer ${key}`, ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await readAll(answer.body);
    return { status: answer.status, headers: answer.headers, text, body: tryJson(text) };
  };
  const ok: Rig["ok"] = async (method, path, body) => {
    const reply = await call(method, path, body);
    if (reply.status !== 200) throw new Error(`${method} ${path} answered ${reply.status}: ${reply.text}`);
    return reply.body;
  };
  return { emulator, call, ok };
}

export async function readAll(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What an error answer says, in the shape of the default dialect. */
export function refusal(status: number, code: string, message: string) {
  return { status, body: { error: { code, message } } };
}
