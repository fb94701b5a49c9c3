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

/** Where facts are kept. */
export interface Journal {
  /** Everything kept so far, in order. */
  read(): Fact[];
  /** Keeps what one request did. Returns when it would survive a kill of this process. */
  append(facts: readonly Fact[]): void;
  /** Replaces everything by these. */
  rewrite(facts: readonly Fact[]): void;
  close(): void;
}

/** Keeps nothing beyond the process. */
export const noJournal: Journal = { read: () => [], append: () => {}, rewrite: () => {}, close: () => {} };

/** A file with one line per request. A line is whole or, if the process died while writing it, the last and ignored. */
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
      throw new Error(`line ${number} of ${this.#path} is not readable; move the file away to start afresh`, { cause });
    }
  }
}

function writeWhole(file: number, facts: readonly Fact[]): void {
  const bytes = Buffer.from(`${JSON.stringify(facts)}\n`);
  const { size } = fstatSync(file);
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
  } catch (cause) {
    // Half a line, on a full disk for one, would spoil the one that comes after it.
    ftruncateSync(file, size);
    throw cause;
  }
}
