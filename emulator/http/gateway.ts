import { type HandlerFaults, noHandlerFaults } from "../state";
import type { Exchange, Service } from "./exchange";
import { type Effect, effectOf, type FaultQueue } from "./faults";

/** The emulator's own paths are no part of the service: never counted, never faulty. */
function isOwnPath(path: string): boolean {
  return path === "/" || path.startsWith("/_emulator/");
}

/** Where every request comes in: counted, and sent to the service with the faults that wait for it. */
export class Gateway {
  constructor(
    private readonly service: Service,
    private readonly faults: FaultQueue,
    /** Called with every request to the service. */
    private readonly onRequest: (method: string, path: string) => void,
    private readonly sleep: (milliseconds: number) => Promise<void>,
  ) {}

  async exchange(request: Request): Promise<Exchange> {
    const path = pathOf(request.url);
    if (isOwnPath(path)) return { kind: "answered", response: await this.service.fetch(request, noHandlerFaults) };
    this.onRequest(request.method, path);
    const effects = this.faults.take(request.method, path).map(effectOf);
    await this.#delay(effects, "before");
    const instead = effects.find((effect) => effect.instead)?.instead;
    if (instead) return instead(this.service);
    const response = await this.service.fetch(request, handlerFaultsOf(effects));
    await this.#delay(effects, "after");
    const answer = effects.find((effect) => effect.answer)?.answer;
    return answer ? answer(response) : { kind: "answered", response };
  }

  async #delay(effects: readonly Effect[], when: "before" | "after"): Promise<void> {
    for (const { delay } of effects) if (delay?.when === when) await this.sleep(delay.ms);
  }
}

function handlerFaultsOf(effects: readonly Effect[]): HandlerFaults {
  const faults = { ...noHandlerFaults };
  for (const { handler } of effects) Object.assign(faults, handler);
  return faults;
}

/** The path of an absolute URL, as it was sent. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const path = start < 0 ? "/" : url.slice(start);
  return path.split(/[?#]/, 1)[0] ?? path;
}
