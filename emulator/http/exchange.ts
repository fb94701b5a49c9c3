import type { Orders } from "../state";
import { type Fault, type Faults, ordersOf } from "./faults";

/** How a request went: answered, cut off, or cut off in the middle of the answer. */
export type Exchange =
  | { outcome: "answered"; response: Response }
  | { outcome: "cut" }
  | { outcome: "truncated"; status: number; headers: Headers; whole: number; part: Uint8Array };

export interface Served {
  /** The service itself. */
  fetch(request: Request, orders: Orders): Promise<Response>;
  /** The answer in the shape of the service's errors. */
  errorResponse(status: number, message: string): Response;
}

const page = "<!doctype html><html><head><title>Bad gateway</title></head><body><h1>Bad gateway</h1></body></html>";
const bodiless = new Set([204, 205, 304]);

/** The emulator's own paths are no part of the service: never counted, never faulty. */
export function isOwnPath(path: string): boolean {
  return path === "/" || path.startsWith("/_emulator/");
}

/** Requests to the service, with whatever faults are waiting for them. */
export class Exchanges {
  constructor(
    private readonly service: Served,
    private readonly faults: Faults,
    /** Told of every request to the service. */
    private readonly onRequest: (method: string, path: string) => void,
    private readonly sleep: (milliseconds: number) => Promise<void>,
  ) {}

  async exchange(request: Request): Promise<Exchange> {
    const path = pathOf(request.url);
    if (isOwnPath(path)) return { outcome: "answered", response: await this.service.fetch(request, ordersOf([])) };
    this.onRequest(request.method, path);
    const faults = this.faults.take(request.method, path);
    await this.#delay(faults, "before");
    const instead = this.#instead(faults);
    if (instead) return instead;
    const response = await this.service.fetch(request, ordersOf(faults));
    await this.#delay(faults, "after");
    return afterwards(faults, response);
  }

  async #delay(faults: readonly Fault[], when: "before" | "after"): Promise<void> {
    for (const fault of faults) if (fault.kind === "delay" && fault.when === when) await this.sleep(fault.ms);
  }

  /** What happens in place of the request. */
  #instead(faults: readonly Fault[]): Exchange | undefined {
    const fault = faults.find(({ kind }) => kind === "status" || kind === "reset-before");
    if (fault?.kind === "reset-before") return { outcome: "cut" };
    if (fault?.kind === "status") return { outcome: "answered", response: this.#answer(fault) };
    return undefined;
  }

  #answer({ status, headers = {}, body }: Extract<Fault, { kind: "status" }>): Response {
    if (bodiless.has(status)) return new Response(null, { status, headers });
    if (typeof body === "string") return new Response(body, { status, headers });
    const response = body === undefined ? this.service.errorResponse(status, "fault") : Response.json(body, { status });
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    return response;
  }
}

/** What becomes of the answer to a request that was carried out. */
async function afterwards(faults: readonly Fault[], response: Response): Promise<Exchange> {
  const fault = faults.find(({ kind }) => kind === "reset-after" || kind === "truncate" || kind === "garbage");
  switch (fault?.kind) {
    case "reset-after":
      return { outcome: "cut" };
    case "truncate": {
      const bytes = new Uint8Array(await response.arrayBuffer());
      const part = bytes.subarray(0, bytes.length / 2);
      return { outcome: "truncated", status: response.status, headers: response.headers, whole: bytes.length, part };
    }
    case "garbage":
      return { outcome: "answered", response: new Response(page, { headers: { "content-type": "text/html" } }) };
    default:
      return { outcome: "answered", response };
  }
}

/** The path of an absolute URL, as it was sent. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const path = start < 0 ? "/" : url.slice(start);
  return path.split(/[?#]/, 1)[0] ?? path;
}
