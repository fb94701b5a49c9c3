/** A stream such as standard error. */
export interface StatusStream {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

const clear = "\r\u001b[2K";
const redrawMs = 1000;
const usualColumns = 80;

/** Says on one line what a command waits for, and clears it afterwards. Nothing is written where there is no terminal. */
export class StatusLine {
  private waits: (() => string)[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly stream: StatusStream) {}

  /** Shows the text while the work goes on; a function is asked anew every second. */
  async during<Result>(text: string | (() => string), work: () => Promise<Result>): Promise<Result> {
    if (!this.stream.isTTY) return work();
    const wait = typeof text === "string" ? () => text : text;
    this.show([...this.waits, wait]);
    try {
      const result = await work();
      this.show(this.waits.filter((one) => one !== wait));
      return result;
    } catch (error) {
      // What is printed next is the error, and must not stand behind the text of another wait.
      this.show([]);
      throw error;
    }
  }

  /** Clears the line, whatever is waited for: this process is about to end. */
  end(): void {
    if (this.stream.isTTY) this.show([]);
  }

  private show(waits: (() => string)[]): void {
    this.waits = waits;
    if (waits.length > 0) this.timer ??= setInterval(() => this.draw(), redrawMs).unref();
    else this.timer = clearTimer(this.timer);
    this.draw();
  }

  private draw(): void {
    const text = this.waits.at(-1)?.() ?? "";
    // A line that wraps could not be cleared. Some terminals say that they have 0 columns.
    const columns = this.stream.columns || usualColumns;
    this.stream.write(`${clear}${text.slice(0, columns - 1)}`);
  }
}

function clearTimer(timer: NodeJS.Timeout | undefined): undefined {
  clearInterval(timer);
}

/** The status line of this process. */
export const statusLine = new StatusLine(process.stderr);
