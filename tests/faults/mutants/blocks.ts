import type { Profiler } from "node:inspector";

type Functions = readonly Profiler.FunctionCoverage[];

/**
 * Which runs have executed which parts of the code. The inspector tells of a function what has run in it, and which parts of that have not:
 * each part that some run has left out is one by itself.
 */
export class Blocks {
  /** By function, then by what of it has not run, the numbers of the runs. */
  readonly #functions = new Map<string, Map<string, number[]>>();

  /** Something that has happened in a run, and counts like a part of the code. */
  noteEvent(number: number, name: string): void {
    const known = this.#functions.get(name) ?? new Map<string, number[]>();
    this.#functions.set(name, known.set("", [...(known.get("") ?? []), number]));
  }

  note(number: number, url: string, functions: Functions): void {
    for (const { ranges } of functions) {
      const [whole, ...parts] = ranges;
      if (!whole || whole.count === 0) continue;
      const name = `${url} ${nameOf(whole)}`;
      const known = this.#functions.get(name) ?? new Map<string, number[]>();
      this.#functions.set(name, known);
      const left = parts.filter(({ count }) => count === 0).map(nameOf);
      known.set(left.join(), [...(known.get(left.join()) ?? []), number]);
    }
  }

  /** For each part that at most so many runs have executed, and some, their numbers. */
  rare(most: number): number[][] {
    const all = [...this.#functions.values()].flatMap((known) => {
      const runs = [...known].map(([left, numbers]) => ({ left: left.split(",").filter(Boolean), numbers }));
      const parts = new Set(runs.flatMap(({ left }) => left));
      const ran = (part: string) =>
        runs.filter(({ left }) => !left.some((other) => contains(other, part))).flatMap(({ numbers }) => numbers);
      return [runs.flatMap(({ numbers }) => numbers), ...[...parts].map(ran)];
    });
    return all.filter(({ length }) => length > 0 && length <= most);
  }
}

function nameOf({ startOffset, endOffset }: Profiler.CoverageRange): string {
  return `${startOffset}-${endOffset}`;
}

function contains(outer: string, inner: string): boolean {
  const [[from = 0, to = 0], [start = 0, end = 0]] = [outer, inner].map((range) => range.split("-").map(Number)) as [
    number[],
    number[],
  ];
  return from <= start && end <= to;
}
