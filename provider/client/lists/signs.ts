import { entriesOf, type Field, fieldsInHeaders, fieldsOf } from "./fields";
import { headerText } from "./headers";
import type { Count, Page, Totals } from "./page";

export const linkNames = [
  ...["next", "nexturl", "nexturi", "nextlink", "nexthref", "nextpage", "nextpageurl", "nextpageuri", "nextpagelink"],
  ...["nextrecordsurl", "odatanextlink"],
];

const cursors = [
  ...linkNames,
  ...["cursor", "pagetoken", "lastevaluatedkey", "continue", "continuation", "continuationtoken", "mscontinuation"],
  ...["remainingitems", "remainingitemcount"],
];
/** `next_page_cursor`, `nextOffset`, `nextContinuationToken` */
const cursorWords = /^next(page|cursor|token|continuation|offset|range|start|marker|key|id|after|batch)[a-z]*$/;
/** What lists are of, as `total_…` and `more_…` count it. */
const things = [
  ...["items", "results", "records", "rows", "entries", "elements", "objects", "hits"],
  ...["rentals", "instances", "volumes", "storagevolumes", "machines"],
];
const flags = [
  ...["", "pages", "data", "available", ...things].flatMap((what) => [`more${what}`, `hasmore${what}`]),
  ...["hasnext", "hasnextpage", "truncated", "istruncated"],
  ...["partial", "ispartial", "partialresult", "partialresults", "incomplete", "isincomplete", "incompleteresults"],
];
const counterFlags = ["complete", "iscomplete", "done", "last", "islast", "lastpage", "islastpage", "endoflist"];
const totals = ["total", "totalcount", "odatacount", ...things.map((what) => `total${what}`)];
/** Some mean all by these, and some those on this page. */
const counts = ["count", "itemcount", "recordcount"];
const present = ["page", "currentpage", "pagenumber", "pageindex"];
const last = ["pages", "totalpages", "pagecount", "numpages", "lastpage"];
const sizes = ["limit", "perpage", "pagesize", "pagelimit", "itemsperpage", "maxresults"];

/** What a page says of itself, in its body and in its headers. */
export function fieldsOfPage({ body, headers }: Pick<Page, "body" | "headers">): Field[] {
  const size = sizeIn(headerText(headers, "content-range"));
  const range = { place: "the header Content-Range of", name: "total", value: size };
  return [...fieldsOf(body), ...fieldsInHeaders(headers), range];
}

/** Every sign that there is more than this. A link to the next page explains them all. */
export function* signsOfMore(page: Page): Generator<string> {
  yield* signsInHeaders(page);
  const fields = fieldsOfPage(page);
  for (const { place, name, value } of fields) {
    if ((cursors.includes(name) || cursorWords.test(name)) && leadsOn(name, value)) yield `${place} ${show(value)}`;
    if (flags.includes(name) && isSaid(value)) yield `${place} ${show(value)}`;
    if (counterFlags.includes(name) && isDenied(value)) yield `${place} ${show(value)}`;
    if (name === "status" && /^(partial|incomplete|truncated)/i.test(String(value))) yield `${place} ${show(value)}`;
  }
  const { said, total, pages } = page;
  if (said.items && said.items.value > total) yield `${said.items.place} ${said.items.value}, and ${total} came`;
  // Some count pages from 0.
  const [now] = numbersIn(fields, present);
  if (said.pages && said.pages.value > Math.max(now?.value ?? 1, pages)) {
    yield `${said.pages.place} ${said.pages.value}`;
  }
  // As many as fit on a page, and nothing that says whether that is all.
  const [size] = numbersIn(fields, sizes);
  const isWhole = said.pages !== undefined || numbersIn(fields, totals).length > 0;
  if (size && pages === 1 && !isWhole && size.value > 0 && page.count >= size.value) {
    yield `${size.place} ${size.value}, and ${page.count} came`;
  }
}

/** How much there is in all, as far as a page says so. Some have both the number on this page and that of all. */
export function totalsIn({ headers, body }: Pick<Page, "headers" | "body">): Totals {
  const fields = fieldsOfPage({ body, headers });
  const items = numbersIn(fields, [...totals, ...counts]).reduce<Count | undefined>(larger, undefined);
  const [pages] = numbersIn(fields, last);
  return { ...(items && { items }), ...(pages && { pages }) };
}

/** What stands behind the slash: a number, or a star where nobody knows. */
function sizeIn(range: string): string | undefined {
  return /\/\s*(\d{1,15}|\*)\s*$/.exec(range)?.[1];
}

function* signsInHeaders({ headers, status }: Page): Generator<string> {
  const range = headerText(headers, "content-range");
  const size = sizeIn(range);
  if (size === "*") yield `the header Content-Range ${range}`;
  // Nobody asked for a part. Only a range that ends with the last item says that this was all.
  if (status === 206 && !isCount(size)) yield "the status 206, which is a part of the list";
}

const losses = [
  ...["warning", "warnings", "error", "errors", "partialerror", "partialerrors", "partialfailure", "partialfailures"],
  ...["failures", "failedregions", "unreachable", "unavailable", "omitted", "skipped"],
];

/** Every sign that something was left out, which no further page would bring. */
export function* signsOfLoss({ body, headers }: Page): Generator<string> {
  for (const { place, name, value } of fieldsOf(body)) {
    if (losses.includes(name) && isLoss(value)) yield `${place} ${show(value)}`;
  }
  const warning = headerText(headers, "warning");
  // 214 (RFC 7234, 5.5): a proxy has changed the encoding.
  if (warning !== "" && !/^214\b/.test(warning) && !isOfVersions(warning)) yield `the header Warning ${warning}`;
}

function isLoss(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isLoss);
  if (typeof value === "object" && value !== null) {
    return Object.keys(value).length > 0 && !isOfVersions(JSON.stringify(value));
  }
  return isFilled(value) && !isOfVersions(String(value));
}

/** That an interface is to go, or a newer one is there, says nothing of what is in a list. */
function isOfVersions(text: string): boolean {
  return /deprecat|sunset|obsolete|upgrade/i.test(text);
}

function numbersIn(fields: readonly Field[], names: readonly string[]): Count[] {
  return names.flatMap((wanted) =>
    fields.flatMap(({ place, name, value }) =>
      name === wanted && isCount(value) ? [{ place, value: Number(value) }] : [],
    ),
  );
}

function larger(one: Count | undefined, other: Count): Count {
  return one && one.value >= other.value ? one : other;
}

/** Where a value leads: the link in `{"href": …, "templated": true}`, or the value itself. */
export function targetOf(value: unknown): unknown {
  const link = entriesOf(value).find(([key]) => ["href", "link", "url", "uri"].includes(key));
  return link ? link[1] : value;
}

/** Deep enough for what cursors hold. */
const deepest = 3;

/** Whether there is anything behind a cursor. What it holds may be called in any way, but a `cursor` may also hold the present one. */
function leadsOn(name: string, value: unknown, depth = deepest): boolean {
  const target = targetOf(value);
  if (typeof target !== "object" || target === null) return isFilled(target);
  if (name === "cursor") return false;
  return depth === 0 || Object.values(target).some((one) => leadsOn("", one, depth - 1));
}

function isFilled(value: unknown): boolean {
  return isText(value) || (typeof value === "number" && value > 0) || value === true;
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

/** What is said of a flag may also be what is meant by it: the regions that did not answer. */
function isSaid(value: unknown): boolean {
  if (typeof value === "string") return /^(true|yes|y|1)$/i.test(value.trim());
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === "object" ? Object.keys(value ?? {}).length > 0 : isFilled(value);
}

function isDenied(value: unknown): boolean {
  return value === false || (typeof value === "string" && /^(false|no|n)$/i.test(value.trim()));
}

function isCount(value: unknown): boolean {
  return typeof value === "string" ? /^\d{1,15}$/.test(value.trim()) : Number.isSafeInteger(value);
}

/** Longer ones say no more of it. */
const mostShown = 120;

function show(value: unknown): string {
  const text = written(value);
  return text.length > mostShown ? `${text.slice(0, mostShown)}…` : text;
}

/** What is nested too deep cannot be written down. */
function written(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "(nested too deep to show)";
  }
}
