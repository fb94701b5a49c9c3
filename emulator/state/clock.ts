import type { TimeSource } from "../options";

/** Year 9000: beyond it timestamps are no longer RFC 3339. */
const endOfTime = Date.UTC(9000, 0);

const systemTime: TimeSource = { now: () => Date.now() };

/** The emulator's time: that of its source, plus whatever it was advanced by. */
export class EmulatorClock implements TimeSource {
  #ahead = 0;

  constructor(
    private readonly source: TimeSource = systemTime,
    /** Told of every change, so that it can be kept. */
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

  /** Takes up where a kept clock left off. */
  restore(aheadMs: number): void {
    this.#ahead = aheadMs;
  }
}
