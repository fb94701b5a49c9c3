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
  isFirst: boolean;
}
