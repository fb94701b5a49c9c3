import type { Headers } from "../http/transport";

/** One page of a list, and how many items there are with those before it. */
export interface Page {
  /** Where it came from. */
  url: string;
  headers: Headers;
  body: unknown;
  /** Items on this page, and on all so far. */
  count: number;
  total: number;
  isFirst: boolean;
}

/** What follows a page: nothing, another one, or something that is announced in a way that cannot be followed. */
export type Following = { kind: "end" } | { kind: "next"; url: string } | { kind: "unclear"; sign: string };

/**
 * Looks for signs of further pages. The interface knows of none, so that a service that has them all the same must not be
 * taken for one that has listed everything: what is on page two would seem to be gone.
 */
export function whatFollows(page: Page): Following {
  const link = linkIn(page.headers) ?? linkInBody(page.body);
  if (link !== undefined) return follow(link, page.url);
  const sign = [...signsIn(page)][0];
  return sign === undefined ? { kind: "end" } : { kind: "unclear", sign };
}

/** The key goes along, so only to where it was sent already. */
function follow(link: string, from: string): Following {
  const next = URL.canParse(link, from) ? new URL(link, from) : undefined;
  if (next?.origin === new URL(from).origin) return { kind: "next", url: next.href };
  return { kind: "unclear", sign: `a next page at another address, ${next?.origin ?? "which is not a URL"}` };
}

/** `Link: </v2/…?page=2>; rel="next"` (RFC 8288). */
function linkIn(headers: Headers): string | undefined {
  for (const [, target, parameters = ""] of headerText(headers, "link").matchAll(/<([^<>]*)>([^<]*)/g)) {
    const [, quoted, plain] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,]+))/i.exec(parameters) ?? [];
    if ((quoted ?? plain ?? "").toLowerCase().split(/\s+/).includes("next")) return target;
  }
  return undefined;
}

const linkNames = ["next", "next_url", "nextUrl", "next_page_url", "nextPageUrl", "next_link", "nextLink"];

function linkInBody(body: unknown): string | undefined {
  for (const [, name, value] of fieldsOf(body)) {
    const link = typeof value === "object" ? field(value, "href") : value;
    if (linkNames.includes(name) && typeof link === "string" && isLink(link)) return link;
  }
  return undefined;
}

function isLink(text: string): boolean {
  return /^(https?:\/\/|\/|\?)/i.test(text);
}

const cursors = [
  ...linkNames,
  ...["next_page", "nextPage", "next_cursor", "nextCursor", "cursor", "next_token", "nextToken", "page_token"],
  ...["pageToken", "next_page_token", "nextPageToken", "continuation", "continuation_token", "continuationToken"],
];
const flags = [
  ...["has_more", "hasMore", "has_next", "hasNext", "has_next_page", "hasNextPage", "more"],
  ...["truncated", "is_truncated", "isTruncated"],
];
const totals = ["total", "total_count", "totalCount", "total_items", "totalItems", "count"];
const present = ["page", "current_page", "currentPage", "page_number", "pageNumber"];
const last = ["pages", "total_pages", "totalPages", "page_count", "pageCount", "last_page", "lastPage"];
const sizes = ["limit", "per_page", "perPage", "page_size", "pageSize"];

/** Every sign in the body and the headers that there is more than this. */
function* signsIn(page: Page): Generator<string> {
  yield* signsInHeaders(page);
  const fields = fieldsOf(page.body);
  const numberIn = (names: readonly string[]) => {
    const [place, , value] = fields.find(([, name, value]) => names.includes(name) && isCount(value)) ?? [];
    return place === undefined ? undefined : { place, value: Number(value) };
  };
  for (const [place, name, value] of fields) {
    if (cursors.includes(name) && isFilled(value)) yield `${place} ${JSON.stringify(value)}`;
    if (flags.includes(name) && value === true) yield `${place} true`;
  }
  const total = numberIn(totals);
  if (total && total.value > page.total) yield `${total.place} ${total.value}, and ${page.total} came`;
  const end = numberIn(last);
  const now = numberIn(present);
  if (end && end.value > (now?.value ?? 1)) yield `${end.place} ${end.value}`;
  // As many as fit on a page, and nothing that says whether that is all.
  const size = numberIn(sizes);
  if (size && page.isFirst && !total && !end && size.value > 0 && page.count >= size.value) {
    yield `${size.place} ${size.value}, and ${page.count} came`;
  }
}

function* signsInHeaders({ headers, total }: Page): Generator<string> {
  const next = headerText(headers, "x-next-page") || headerText(headers, "x-next-cursor");
  if (next !== "") yield `the header X-Next-Page ${next}`;
  for (const name of ["X-Total-Count", "X-Total", "X-Pagination-Total"]) {
    const value = headerText(headers, name.toLowerCase());
    if (isCount(value) && Number(value) > total) yield `the header ${name} ${value}, and ${total} came`;
  }
  const pages = headerText(headers, "x-total-pages");
  const page = headerText(headers, "x-page");
  if (isCount(pages) && Number(pages) > (isCount(page) ? Number(page) : 1)) yield `the header X-Total-Pages ${pages}`;
  const range = /\/(\d+)\s*$/.exec(headerText(headers, "content-range"))?.[1];
  if (range !== undefined && Number(range) > total) yield `the header Content-Range of ${range}, and ${total} came`;
}

/** Where services put what they say about pages. */
const nests = [
  ...["meta", "metadata", "pagination", "paging", "page", "page_info", "pageInfo", "links", "_links", "cursors"],
  "data",
];

/** The fields that may speak of pages: where each stands, its name and its value. */
function fieldsOf(body: unknown): [string, string, unknown][] {
  const top = entriesOf(body);
  const below = top.filter(([name]) => nests.includes(name));
  return [
    ...top.map(([name, value]): [string, string, unknown] => [name, name, value]),
    ...below.flatMap(([outer, value]) =>
      entriesOf(value).map(([name, inner]): [string, string, unknown] => [`${outer}.${name}`, name, inner]),
    ),
  ];
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

function field(value: unknown, name: string): unknown {
  return entriesOf(value).find(([key]) => key === name)?.[1];
}

function isFilled(value: unknown): boolean {
  return (
    (typeof value === "string" && value.trim() !== "") || (typeof value === "number" && value > 0) || value === true
  );
}

function isCount(value: unknown): boolean {
  return typeof value === "string" ? /^\d{1,15}$/.test(value.trim()) : Number.isSafeInteger(value);
}

/** All values of a header; empty where there is none. */
function headerText(headers: Headers, name: string): string {
  const values = Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === name ? (value ?? []) : []));
  return values.join(", ").trim();
}
