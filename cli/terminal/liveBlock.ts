import { width } from "./width";

/** A stream such as standard output. */
export interface LiveStream {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
  write(text: string): unknown;
}

const usualColumns = 80;
const usualRows = 24;

/** Text that is drawn anew in its own place on a terminal. Where there is none, each drawing is a block of its own. */
export class LiveBlock {
  private lines: readonly string[] | undefined;

  constructor(private readonly stream: LiveStream) {}

  draw(text: string): void {
    if (!this.stream.isTTY) {
      this.stream.write(`${this.lines ? "\n" : ""}${text}\n`);
      this.lines = [];
      return;
    }
    const lines = this.fit(text.split("\n"));
    // By the width of now: a terminal whose window has changed has wrapped the lines anew.
    const above = this.rowsOf(this.lines ?? []);
    const back = above > 0 ? `\u001b[${above}A` : "";
    // Row by row, and not cleared first: nothing flickers, and no terminal keeps what was there for its history.
    this.stream.write(`\r${back}${lines.map((line) => `${line}${this.restOf(line)}\n`).join("")}\u001b[J`);
    this.lines = lines;
  }

  /** What has scrolled out of the window cannot be drawn over. */
  private fit(lines: readonly string[]): string[] {
    // The last row is that of the cursor, and the one above it says what is left out.
    const room = (this.stream.rows || usualRows) - 1;
    if (this.rowsOf(lines) <= room) return [...lines];
    const kept = [...lines];
    while (kept.length > 0 && this.rowsOf(kept) > room - 1) kept.pop();
    return [...kept, `… and ${lines.length - kept.length} more lines: make the window taller to see them`];
  }

  private rowsOf(lines: readonly string[]): number {
    return lines.reduce((sum, line) => sum + this.heightOf(line), 0);
  }

  /** Clears what is left of the row. At the end of a full one, that would be its last character. */
  private restOf(line: string): string {
    const rest = width(line) % (this.stream.columns || usualColumns);
    return rest > 0 || line === "" ? "\u001b[K" : "";
  }

  private heightOf(line: string): number {
    return Math.max(1, Math.ceil(width(line) / (this.stream.columns || usualColumns)));
  }
}
