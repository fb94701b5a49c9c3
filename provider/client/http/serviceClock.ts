import type { Clock } from "./clock";
import { type Headers, header } from "./transport";

/** The header is in whole seconds and answers take a while: a smaller difference is none. */
const tolerance = 2000;

/** The time as the service has it. Its timestamps are compared with this clock: ours may be wrong, or its own. */
export class ServiceClock {
  #ahead = 0;
  #hasAnswer = false;

  constructor(private readonly clock: Clock) {}

  /** Takes the `Date` header of an answer that has just arrived. */
  note(headers: Headers): void {
    this.#hasAnswer = true;
    const told = Date.parse(header(headers, "date") ?? "");
    if (Number.isNaN(told)) return;
    const ahead = told - this.clock.now();
    this.#ahead = Math.abs(ahead) <= tolerance ? 0 : ahead;
  }

  /** A service that answers without telling the time has ours. */
  get hasAnswer(): boolean {
    return this.#hasAnswer;
  }

  /** Before the first answer, this machine's time. */
  now(): number {
    return this.clock.now() + this.#ahead;
  }
}
