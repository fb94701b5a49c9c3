import type { TransportAnswer, TransportRequest } from "../../../provider/client";
import { bodyOf, parse, textOf } from "./answers";
import { isListOfOwn } from "./requests";

/** A list in pages of this size, each with a link to the next one. */
export function paged(size: number) {
  return async (request: TransportRequest, answer: TransportAnswer): Promise<TransportAnswer> => {
    if (answer.status >= 300 || request.method !== "GET" || !isListOfOwn(request)) return answer;
    const text = await textOf(answer);
    const items = parse(text);
    if (!Array.isArray(items)) return { ...answer, body: bodyOf(text) };
    const { pathname, searchParams } = new URL(request.url);
    const page = Number(searchParams.get("page") ?? 0);
    const rest = items.slice(page * size);
    const link = rest.length > size ? { link: `<${pathname}?page=${page + 1}>; rel="next"` } : {};
    return { ...answer, headers: { ...answer.headers, ...link }, body: bodyOf(JSON.stringify(rest.slice(0, size))) };
  };
}
