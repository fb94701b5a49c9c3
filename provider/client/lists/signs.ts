import { type Field, fieldsOf } from "./fields";
import { headerText } from "./headers";
import type { Count, Page, Totals } from "./page";

export const linkNames = ["next", "nexturl", "nextpageurl", "nextlink", "nexthref"];

const cursors = [
  ...linkNames,
  ...["nextpage", "nextcursor", "cursor", "nexttoken", "pagetoken", "nextpagetoken"],
  ...["continue", "continuation", "continuationtoken", "nextoffset", "remainingitems", "remainingitemcount"],
];
const flags = [
  ...["hasmore", "hasnext", "hasnextpage", "more", "moreresults", "moreavailable", "truncated", "istruncated"],
  ...["partial", "ispartial", "partialresult", "partialresults", "incomplete", "isincomplete", "incompleteresults"],
];
const counterFlags = ["complete", "iscomplete", "done", "last", "islast", "lastpage", "islastpage", "endoflist"];
const totals = [
  ...["total", "totalcount", "totalitems", "totalelements", "totalresults", "totalrecords", "totalrows", "count"],
];
const present = ["page", "currentpage", "pagenumber"];
const last = ["pages", "totalpages", "pagecount", "lastpage"];
const sizes = ["limit", "perpage", "pagesize"];
const totalHeaders = ["X-Total-Count", "X-Total", "X-Pagination-Total"];
const nextHeaders = ["X-Next-Page", "X-Next-Cursor", "X-Next-Token", "X-Continuation-Token", "Next-Range"];

/** Every sign that there is more than this. A link to the next page explains them all. */
export function* signsOfMore(page: Page): Generator<string> {
  yield* signsInHeaders(page);
  const fields = fieldsOf(page.body);
  for (const { place, name, value } of fields) {
    if (cursors.includes(name) && isFilled(value)) yield `${place} ${show(value)}`;
    if (flags.includes(name) && isSaid(value)) yield `${place} ${show(value)}`;
    if (counterFlags.includes(name) && isDenied(value)) yield `${place} ${show(value)}`;
    if (name === "status" && /^(partial|incomplete|truncated)/i.test(String(value))) yield `${place} ${show(value)}`;
  }
  const { said, total, pages } = page;
  if (said.items && said.items.value > total) yield `${said.items.place} ${said.items.value}, and ${total} came`;
  // Some count pages from 0.
  const [now] = numbersIn([...fields, ...fieldsIn(page.headers, ["X-Page"])], present);
  if (said.pages && said.pages.value > Math.max(now?.value ?? 1, pages)) {
    yield `${said.pages.place} ${said.pages.value}`;
  }
  // As many as fit on a page, and nothing that says whether that is all.
  const [size] = numbersIn(fields, sizes);
  if (size && pages === 1 && !said.items && !said.pages && size.value > 0 && page.count >= size.value) {
    yield `${size.place} ${size.value}, and ${page.count} came`;
  }
}

/** How much there is in all, as far as a page says so. Some have both the number on this page and that of all. */
export function totalsIn({ headers, body }: Pick<Page, "headers" | "body">): Totals {
  const fields = [...fieldsOf(body), ...fieldsIn(headers, [...totalHeaders, "X-Total-Pages"])];
  const range = {
    place: "the header Content-Range of",
    name: "total",
    value: sizeIn(headerText(headers, "content-range")),
  };
  const items = numbersIn([...fields, range], totals).reduce<Count | undefined>(larger, undefined);
  const [pages] = numbersIn(fields, last);
  return { ...(items && { items }), ...(pages && { pages }) };
}

/** Headers as fields: `X-Total-Pages` is `totalpages`. */
function fieldsIn(headers: Page["headers"], names: readonly string[]): Field[] {
  return names.map((header) => ({
    place: `the header ${header}`,
    name: header
      .toLowerCase()
      .replace(/^x-(pagination-)?/, "")
      .replaceAll("-", ""),
    value: headerText(headers, header),
  }));
}

/** What stands behind the slash: a number, or a star where nobody knows. */
function sizeIn(range: string): string | undefined {
  return /\/\s*(\d{1,15}|\*)\s*$/.exec(range)?.[1];
}

function* signsInHeaders({ headers, status }: Page): Generator<string> {
  for (const name of nextHeaders) {
    const next = headerText(headers, name);
    if (next !== "") yield `the header ${name} ${next}`;
  }
  if (isSaid(headerText(headers, "x-has-more"))) yield "the header X-Has-More";
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

function isFilled(value: unknown): boolean {
  return isText(value) || (typeof value === "number" && value > 0) || value === true;
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

/** What is said of a flag may also be what is meant by it: the regions that did not answer. */
function isSaid(value: unknown): boolean {
  if (typeof value === "string") return /^(true|yes|1)$/i.test(value.trim());
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === "object" ? Object.keys(value ?? {}).length > 0 : isFilled(value);
}

function isDenied(value: unknown): boolean {
  return value === false || (typeof value === "string" && /^(false|no)$/i.test(value.trim()));
}

function isCount(value: unknown): boolean {
  return typeof value === "string" ? /^\d{1,15}$/.test(value.trim()) : Number.isSafeInteger(value);
}

/** Longer ones say no more of it. */
const mostShown = 120;

function show(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > mostShown ? `${text.slice(0, mostShown)}…` : text;
}
