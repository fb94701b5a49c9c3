import type { TransportAnswer, TransportRequest } from "../../../provider/client";
import { paths } from "../../lifecycle/rig";
import { bodyOf, parse, textOf, withItems } from "./answers";
import { isListOfOwn } from "./requests";

/**
 * Where a page has the link to the next one: in a header, in one among other links and in other quotes, or deep in the body of lists that are
 * not documented as arrays.
 */
export const pageForms = ["header", "header with more", "body"] as const;
export type PageForm = (typeof pageForms)[number];

/** A list in pages of this size, each with a link to the next one. */
export function paged(size: number, form: PageForm) {
  return async (request: TransportRequest, answer: TransportAnswer): Promise<TransportAnswer> => {
    if (answer.status >= 300 || request.method !== "GET" || !isListOfOwn(request)) return answer;
    const text = await textOf(answer);
    const value = parse(text);
    const { pathname, searchParams } = new URL(request.url);
    const isInBody = form === "body" && (pathname === paths.vm || pathname === paths.instances);
    if (value === undefined || !(isInBody || Array.isArray(value))) return { ...answer, body: bodyOf(text) };
    const page = Number(searchParams.get("page") ?? 0);
    let isLast = true;
    const sheet = withItems(value, (items) => {
      isLast = items.length <= (page + 1) * size;
      return items.slice(page * size, (page + 1) * size);
    });
    const next = `${pathname}?page=${page + 1}`;
    if (!isInBody) {
      const link = form === "header with more" ? amongOthers(isLast ? undefined : next) : `<${next}>; rel="next"`;
      const headers = isLast && form !== "header with more" ? answer.headers : { ...answer.headers, link };
      return { ...answer, headers, body: bodyOf(JSON.stringify(sheet)) };
    }
    const meta = { pagination: { page: page + 1, links: isLast ? {} : { next } } };
    const named = Array.isArray(sheet) ? { rentals: sheet } : Object(sheet);
    return { ...answer, body: bodyOf(JSON.stringify({ ...named, meta })) };
  };
}

function amongOthers(next: string | undefined): string {
  const first = '</pages/first>; title="first, not next; rel=next"; rel="first prev"';
  return next === undefined ? first : `${first}, <${next}>;rel='last next'`;
}
