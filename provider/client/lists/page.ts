import type { Headers } from "../http";

/** One page of a list, and how many items there are with those before it. */
export interface Page {
  /** Where it came from. */
  url: string;
  status: number;
  headers: Headers;
  body: unknown;
  /** Items on this page, and on all so far. */
  count: number;
  total: number;
  /** How many pages were read, this one included. */
  pages: number;
  /** How much there is in all, by the last page that said so. */
  said: Totals;
}

/** As far as it was said. */
export interface Totals {
  items?: Count;
  pages?: Count;
}

/** A number, and where it stands. */
export interface Count {
  place: string;
  value: number;
}
