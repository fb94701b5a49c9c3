import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { entry, type Fact } from "./facts";

/** Where facts are stored. */
export interface Journal {
  /** Everything stored so far, in order. */
  read(): Fact[];
  /** Stores what one request did. Once it returns, a kill of this process does not lose it. */
  append(facts: readonly Fact[]): void;
  /** Replaces everything with these. */
  rewrite(facts: readonly Fact[]): void;
  close(): void;
}

/** Everything is lost when the process ends. */
export const noJournal: Journal = { read: () => [], append: () => {}, rewrite: () => {}, close: () => {} };

/** A file with one line per request. If the process dies while writing, the last line is incomplete and ignored. */
export class FileJournal implements Journal {
  readonly #path: string;
  #file: number | undefined;

  constructor(directory: string) {
    mkdirSync(directory, { recursive: true });
    this.#path = join(directory, "journal.jsonl");
  }

  read(): Fact[] {
    if (!existsSync(this.#path)) return [];
    const lines = readFileSync(this.#path, "utf8").split("\n");
    // What follows the last newline was being written when the process died; its request was never answered.
    lines.pop();
    return lines.flatMap((line, index) => this.#parse(line, index + 1));
  }

  append(facts: readonly Fact[]): void {
    this.#file ??= openSync(this.#path, "a");
    writeWhole(this.#file, facts);
  }

  rewrite(facts: readonly Fact[]): void {
    this.close();
    const fresh = `${this.#path}.new`;
    const file = openSync(fresh, "w");
    // One line per fact: a single line of everything would be as long as the file.
    for (const one of facts) writeWhole(file, [one]);
    fsyncSync(file);
    closeSync(file);
    renameSync(fresh, this.#path);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #parse(line: string, number: number): Fact[] {
    try {
      return entry.parse(JSON.parse(line));
    } catch (cause) {
      throw new Error(`cannot read line ${number} of ${this.#path}; move the file away to start without its data`, {
        cause,
      });
    }
  }
}

function writeWhole(file: number, facts: readonly Fact[]): void {
  const bytes = Buffer.from(`${JSON.stringify(facts)}\n`);
  const { size } = fstatSync(file);
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
  } catch (cause) {
    // Half a line, as on a full disk, would make the next one unreadable.
    ftruncateSync(file, size);
    throw cause;
  }
}
