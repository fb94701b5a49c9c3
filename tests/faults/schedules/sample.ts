/** How many to play, which ones, and where progress is told. */
export interface Sample {
  count: number;
  seed: number;
  say(text: string): void;
}
