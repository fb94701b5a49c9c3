import type { TimeSource } from "../options";

/** Year 9000: RFC 3339 ends soon after. */
const endOfTime = Date.UTC(9000, 0);

const systemTime: TimeSource = { now: () => Date.now() };

/** The time of its source, plus whatever it was advanced by. */
export class EmulatorClock implements TimeSource {
  #ahead = 0;

  constructor(
    private readonly source: TimeSource = systemTime,
    /** Called with every change, so that it can be stored. */
    private readonly onChange: (aheadMs: number) => void = () => {},
  ) {}

  now(): number {
    return this.source.now() + this.#ahead;
  }

  advance(seconds: number): void {
    if (!(seconds >= 0 && this.now() + seconds * 1000 < endOfTime)) {
      throw new RangeError(`cannot advance the clock by ${seconds} seconds`);
    }
    this.#ahead += seconds * 1000;
    this.onChange(this.#ahead);
  }

  /** Continues a stored clock. */
  restore(aheadMs: number): void {
    this.#ahead = aheadMs;
  }
}
