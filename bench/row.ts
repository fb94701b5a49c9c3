/** A line of the table. */
export interface Row {
  what: string;
  goal: string;
  ours: string;
  /** What it is held against. */
  beside: string;
  ratio: string;
  met: boolean;
}

/** What every part is given. */
export interface Context {
  rounds: number;
  /** How many rentals. */
  size: number;
  quick: boolean;
  say(text: string): void;
}

export type Part = (context: Context) => Promise<Row[]>;
