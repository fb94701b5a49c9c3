import { STATUS_CODES } from "node:http";
import { type CleanTextOptions, cleanText } from "../../shared/cleanText";
import { parseJson } from "../../shared/json";

export interface ErrorBody {
  /** The reason in the service's words, cleaned; the name of the status where it gives none. */
  reason: string;
  /** Whether it came as a web page, that is: perhaps from a proxy. */
  page: boolean;
}

/** Deep enough for every shape seen in the field, and no deeper. */
const deepest = 4;
const mostDetails = 5;

/** Reads the reason from the body of an error. The interface shows none; these are the shapes seen in the field. */
export function describeErrorBody(text: string, status: number, clean: CleanTextOptions): ErrorBody {
  const page = /^\s*(<!doctype|<html|<\?xml|<head|<body)/i.test(text);
  const found = page ? pageTitle(text) : (reasonIn(parseJson(text), deepest) ?? plainText(text));
  const reason = cleanText(found ?? "", clean);
  return { reason: reason || (STATUS_CODES[status] ?? "no reason given"), page };
}

/** The reason in a parsed error body, or undefined where it has none of the known shapes. */
export function reasonIn(body: unknown, depth = deepest): string | undefined {
  if (typeof body === "string") return body.trim() === "" ? undefined : body;
  if (typeof body !== "object" || body === null || depth === 0) return undefined;
  if (Array.isArray(body)) return reasonInList(body, depth);
  const field = (name: string) => reasonIn(Object.getOwnPropertyDescriptor(body, name)?.value, depth - 1);
  const message =
    field("message") ?? field("msg") ?? field("detail") ?? field("error") ?? field("errors") ?? field("title");
  if (message === undefined) return field("error_code") ?? field("code");
  const place = field("loc");
  const code = field("error_code");
  const placed = place === undefined ? message : `${place}: ${message}`;
  return code === undefined ? placed : `${placed} (${code})`;
}

function reasonInList(list: readonly unknown[], depth: number): string | undefined {
  // `loc` is a path, everything else a list of reasons.
  const isPath = list.every((item) => typeof item === "number" || (typeof item === "string" && /^\w+$/.test(item)));
  if (isPath) return list.length === 0 ? undefined : list.slice(0, mostDetails).join(".");
  const reasons = list.slice(0, mostDetails).flatMap((item) => reasonIn(item, depth - 1) ?? []);
  return reasons.length === 0 ? undefined : reasons.join("; ");
}

function pageTitle(page: string): string | undefined {
  const heading = /<(title|h1)[^>]{0,200}>([^<]{1,500})/i.exec(page)?.[2];
  return heading === undefined ? "a web page without a title" : decodeEntities(heading);
}

function decodeEntities(text: string): string {
  const named: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };
  return text
    .replace(/&#(x?)([0-9a-f]{1,6});/gi, (whole, hex: string, digits: string) => {
      const code = Number.parseInt(digits, hex ? 16 : 10);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    })
    .replace(/&(amp|lt|gt|quot|apos|nbsp);/g, (whole, name: string) => named[name] ?? whole);
}

/** Text that is no JSON, or JSON of a shape nobody has seen: better than nothing, unless that is what it says. */
function plainText(text: string): string | undefined {
  return /^\s*(\{\s*\}|\[\s*\]|null|"\s*")?\s*$/.test(text) ? undefined : text;
}
