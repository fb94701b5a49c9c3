import { parseJson } from "../../shared/json";
import type { Headers } from "../http";
import { headerText } from "./headers";

/** A field that may speak of pages: where it stands, its name in small letters and nothing else, and its value. */
export interface Field {
  place: string;
  name: string;
  value: unknown;
}

/** Where services put what they say about a list, beside `links`, `_links` and `servers_links`. */
const nests = [
  ...["meta", "metadata", "pagination", "paging", "paginator", "pager", "page", "pageinfo", "info"],
  ...["cursor", "cursors", "resultset", "data"],
];
/** `paging_info`, `responseMetadata` */
const nestWords = /^(page|paging|pagination|list|result|results|response)(info|meta|metadata|details|data)$/;
/** `meta.pagination.links.next` is the deepest that is seen in the field. */
const deepest = 3;

/** What stands around the items of a list. */
export function fieldsOf(body: unknown): Field[] {
  return entriesOf(body).flatMap(([place, value]) => withNested({ place, name: plainName(place), value }, deepest));
}

/** The same of headers: `X-Total-Pages` is `totalpages`, and `X-Pagination` holds JSON. */
export function fieldsInHeaders(headers: Headers): Field[] {
  return Object.keys(headers).flatMap((key) => {
    const text = headerText(headers, key);
    const name = plainName(key.replace(/^x-/i, "").replace(/^(pagination|paging|wp)-/i, ""));
    const place = `the header ${key.replace(/[^-]+/g, capitalized)}`;
    const parsed = parseJson(text);
    return withNested({ place, name, value: parsed === undefined ? text : parsed }, deepest);
  });
}

function withNested(field: Field, depth: number): Field[] {
  const isOfLinks = field.name.endsWith("links");
  const isNest = isOfLinks || nests.includes(field.name) || nestWords.test(field.name);
  if (depth === 0 || !isNest) return [field];
  const inner = isOfLinks && Array.isArray(field.value) ? field.value.flatMap(linkByName) : entriesOf(field.value);
  const nested = inner.map(([key, value]) => ({ place: `${field.place}.${key}`, name: plainName(key), value }));
  return [field, ...nested.flatMap((one) => withNested(one, depth - 1))];
}

/** `{"rel": "next", "href": …}` in a list of links is `"next": {"href": …}`. */
function linkByName(link: unknown): [string, unknown][] {
  return entriesOf(link).flatMap(([key, value]) => (key === "rel" ? [[String(value), link]] : []));
}

/** `next_page_url`, `nextPageUrl` and `_links` are `nextpageurl` and `links`: how a name is spelled says nothing. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, "");
}

function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase();
}

export function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}
