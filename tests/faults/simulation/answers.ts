/** Answers of the service on their way to the provider, as the harness reads and writes them. */
import { type TransportAnswer, TransportError } from "../../../provider/client";

export function answer(status: number, body: unknown = { error: { message: "fault" } }, headers = {}): TransportAnswer {
  return { status, headers, body: bodyOf(typeof body === "string" ? body : JSON.stringify(body)) };
}

export async function* bodyOf(text: string, cut = false): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
  if (cut) throw new TransportError("the connection was reset in the middle of the answer", { sent: "maybe" });
}

export async function textOf({ body }: TransportAnswer): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** What a text holds; undefined where it is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The member of a value; undefined where there is none. */
export function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** The same answer with another list in it: lists come bare, as `instances` or as `rentals`. */
export function withItems(value: unknown, change: (items: unknown[]) => unknown[]): unknown {
  if (Array.isArray(value)) return change(value);
  for (const name of ["instances", "rentals"]) {
    const items = member(value, name);
    if (Array.isArray(items)) return { ...Object(value), [name]: change(items) };
  }
  return value;
}
