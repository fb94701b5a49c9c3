import { STATUS_CODES } from "node:http";
import { type CleanTextOptions, cleanText } from "../../shared/cleanText";
import { parseJson } from "../../shared/json";
import { reasonIn } from "../../shared/reason";

export interface ErrorBody {
  /** The reason in the service's words, cleaned; the name of the status where it gives none. */
  reason: string;
  /** What it calls the error beside the reason, as `INSUFFICIENT_CAPACITY`, cleaned. */
  code?: string;
  /** Whether it came as a web page, that is: perhaps from a proxy. */
  page: boolean;
  /** Whether it came as JSON, as the service's own words do. */
  isJson?: true;
}

/** Reads the reason from the body of an error. The interface shows none; these are the shapes seen in the field. */
export function describeErrorBody(text: string, status: number, clean: CleanTextOptions): ErrorBody {
  const page = isPage(text);
  const body = page ? undefined : parseJson(text);
  const found = page ? pageTitle(text) : (reasonIn(body) ?? plainText(text));
  // "404 Not Found" is how many pages are called, and the status is said already.
  const reason = cleanText(found ?? "", clean).replace(new RegExp(`^${status}[\\s:–-]+(?=\\S)`), "");
  const code = cleanText(codesIn(body).join(" "), { ...clean, max: 200 });
  return {
    reason: reason || (STATUS_CODES[status] ?? "no reason given"),
    ...(code !== "" && { code }),
    page,
    ...(typeof body === "object" && { isJson: true }),
  };
}

/** The codes that are texts, of the body and of the `error` in it. */
function codesIn(body: unknown): string[] {
  const own = (value: unknown, key: string): unknown =>
    typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, key)?.value : undefined;
  const codes = [body, own(body, "error")].flatMap((at) =>
    ["code", "error_code", "errorCode", "type", "error"].map((key) => own(at, key)),
  );
  return codes.filter((code) => typeof code === "string");
}

/** Whether it is a web page. */
export function isPage(text: string): boolean {
  return /^\s*(<!doctype|<html|<\?xml|<head|<body)/i.test(text);
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
