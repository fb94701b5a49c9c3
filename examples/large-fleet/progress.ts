/** What the stacks that run side by side have done so far, in one line. */
export class Progress {
  private readonly running = new Map<string, { done: number; changes: number }>();
  private machines = 0;
  private finished = 0;
  private failed = 0;
  private shownAt = 0;

  constructor(
    private readonly verb: string,
    private readonly totals: { stacks: number; changes: number },
    private readonly show: (line: string, isLast: boolean) => void,
  ) {}

  start(stack: string, changes: number): void {
    this.running.set(stack, { done: 0, changes });
  }

  /** Counts the machines that were created or deleted. */
  heed(stack: string, { type, op }: { type: string; op: string }): void {
    const part = this.running.get(stack);
    if (!part || !/:(BareMetal|Vm)Rental$/.test(type) || (op !== "create" && op !== "delete")) return;
    part.done += 1;
    this.machines += 1;
    if (Date.now() - this.shownAt >= interval) this.update();
  }

  finish(stack: string, isDone: boolean): void {
    this.running.delete(stack);
    if (isDone) this.finished += 1;
    else this.failed += 1;
    this.update();
  }

  private update(): void {
    this.shownAt = Date.now();
    const { stacks, changes } = this.totals;
    const parts = [...this.running].map(([stack, part]) => `${stack} ${part.done}/${part.changes}`);
    const line = [
      `${this.verb}: ${this.machines} of ${changes} machines`,
      `${this.finished} of ${stacks} stacks done`,
      ...(this.failed > 0 ? [`${this.failed} failed`] : []),
      ...(parts.length > 0 ? [`running: ${parts.join(", ")}`] : []),
    ].join("; ");
    this.show(line, this.finished + this.failed === stacks);
  }
}

/** Milliseconds between two lines, unless a stack is done. */
const interval = 1000;
