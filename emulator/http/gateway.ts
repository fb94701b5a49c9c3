import { type HandlerFaults, noHandlerFaults } from "../state";
import type { Exchange, Service } from "./exchange";
import { type Edit, type Effect, effectOf, type FaultQueue, type PageRequest, pageOf } from "./faults";

/** The emulator's own paths are no part of the service: never counted, never faulty. */
function isOwnPath(path: string): boolean {
  return path === "/" || path.startsWith("/_emulator/");
}

export interface GatewayOptions {
  service: Service;
  faults: FaultQueue;
  /** Called with every request to the service; what it returns is called with how that went. */
  onRequest(method: string, path: string): (outcome: Outcome) => void;
  sleep(milliseconds: number): Promise<void>;
  /** The time that the service shows, in milliseconds since 1970. */
  shownTime(): number;
}

/** How a request went, and the kinds of the faults that hit it. */
export interface Outcome {
  kind: Exchange["kind"];
  /** Null where the connection was cut before an answer. */
  status: number | null;
  faults: string[];
}

/** Where every request comes in: counted, and sent to the service with the pending faults for it. */
export class Gateway {
  constructor(private readonly options: GatewayOptions) {}

  async exchange(request: Request): Promise<Exchange> {
    const { service, faults, onRequest, shownTime } = this.options;
    const path = pathOf(request.url);
    if (isOwnPath(path)) return { kind: "answered", response: await service.fetch(request, noHandlerFaults) };
    const onOutcome = onRequest(request.method, path);
    const taken = faults.take(request.method, path);
    const exchange = await this.#carryOut(request, path, taken.map(effectOf));
    onOutcome({ kind: exchange.kind, status: statusOf(exchange), faults: taken.map(({ kind }) => kind) });
    if (exchange.kind === "answered") exchange.response.headers.set("date", new Date(shownTime()).toUTCString());
    return exchange;
  }

  async #carryOut(request: Request, path: string, effects: readonly Effect[]): Promise<Exchange> {
    const { service } = this.options;
    await this.#delay(effects, "before");
    const instead = effects.find((effect) => effect.instead)?.instead;
    if (instead) return instead(service);
    const carriedOut = await this.#send(request, effects);
    const response = await edited(carriedOut, path, effects, pageAskedFor(request.url));
    await this.#delay(effects, "after");
    const answer = effects.find((effect) => effect.answer)?.answer;
    return answer ? answer(response, service) : { kind: "answered", response };
  }

  async #send(request: Request, effects: readonly Effect[]): Promise<Response> {
    const { service } = this.options;
    const faults = handlerFaultsOf(effects);
    const twice = effects.find((effect) => effect.twice)?.twice;
    if (!twice) return service.fetch(request, faults);
    const copies = await copiesOf(request);
    const first = await service.fetch(copies[0], faults);
    const second = await service.fetch(copies[1], faults);
    return twice === "first" ? first : second;
  }

  async #delay(effects: readonly Effect[], when: "before" | "after"): Promise<void> {
    for (const { delay } of effects) if (delay?.when === when) await this.options.sleep(delay.ms);
  }
}

function statusOf(exchange: Exchange): number | null {
  switch (exchange.kind) {
    case "answered":
      return exchange.response.status;
    case "truncated":
      return exchange.status;
    case "cut":
      return null;
  }
}

async function copiesOf({ url, method, headers, body }: Request): Promise<[Request, Request]> {
  const text = body ? await new Response(body).text() : "";
  const copy = () => new Request(url, text === "" ? { method, headers } : { method, headers, body: text });
  return [copy(), copy()];
}

function handlerFaultsOf(effects: readonly Effect[]): HandlerFaults {
  const faults = { ...noHandlerFaults };
  for (const { handler } of effects) Object.assign(faults, handler);
  return faults;
}

/** The answer with what the faults change in its body, and the page of it that was asked for. */
async function edited(
  response: Response,
  path: string,
  effects: readonly Effect[],
  asked: PageRequest | undefined,
): Promise<Response> {
  const edits: Edit[] = effects.flatMap(({ edit }) => edit ?? []);
  const size = effects.find((effect) => effect.page)?.page;
  const page = asked ?? (size && { ...size, page: 1 });
  const isJson = response.headers.get("content-type")?.includes("json") ?? false;
  if ((edits.length === 0 && !page) || !response.ok || !isJson) return response;
  const body = edits.reduce<unknown>((value, edit) => edit(value), await response.json());
  const { status } = response;
  if (!page) return Response.json(body, { status });
  const sheet = pageOf(body, path, page);
  return Response.json(sheet.body, { status, headers: sheet.headers });
}

/** The page that a link of an earlier answer led to. */
function pageAskedFor(url: string): PageRequest | undefined {
  const query = new URL(url).searchParams;
  const [page, size] = [Number(query.get("page")), Number(query.get("size"))];
  return page >= 1 && size >= 1 ? { page, size, sign: "link" } : undefined;
}

/** The path of an absolute URL, as it was sent. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const path = start < 0 ? "/" : url.slice(start);
  return path.split(/[?#]/, 1)[0] ?? path;
}
