import type { Headers } from "../http";

/** All values of a header; empty where there is none. */
export function headerText(headers: Headers, name: string): string {
  const wanted = name.toLowerCase();
  const values = Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === wanted ? (value ?? []) : []));
  return values.join(", ").trim();
}
