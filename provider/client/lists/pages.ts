import type { Headers } from "../http";
import type { Field } from "./fields";
import { headerText } from "./headers";
import type { Page } from "./page";
import { fieldsOfPage, linkNames, signsOfLoss, signsOfMore, targetOf } from "./signs";

/** What follows a page: nothing, another one, or something that is announced in a way that cannot be followed. */
export type Following = { kind: "end" } | { kind: "next"; url: string } | { kind: "unclear"; sign: string };

/**
 * Looks for signs that this is not everything. The interface knows of none, so that a service that has them all the same must
 * not be taken for one that has listed everything: what is on page two, or was left out, would seem to be gone.
 */
export function whatFollows(page: Page): Following {
  const [loss] = signsOfLoss(page);
  if (loss !== undefined) return { kind: "unclear", sign: loss };
  const link = linkIn(page.headers) ?? linkInFields(fieldsOfPage(page));
  if (link !== undefined) return follow(link, page.url);
  const [sign = unclearLink(page.headers)] = signsOfMore(page);
  return sign === undefined ? { kind: "end" } : { kind: "unclear", sign };
}

/** The key goes along, so only to where it was sent already. */
function follow(link: string, from: string): Following {
  const next = URL.canParse(link, from) ? new URL(link, from) : undefined;
  if (next?.origin === new URL(from).origin) return { kind: "next", url: next.href };
  return { kind: "unclear", sign: `a next page at another address, ${next?.origin ?? "which is not a URL"}` };
}

/** `Link: </v2/…?page=2>; rel="next"` (RFC 8288). A parameter may be quoted, and say anything in its quotes. */
const quotes = String.raw`"(?:\\.|[^"\\])*"|'[^']*'`;
const linkValue = new RegExp(`<([^<>]*)>((?: ?; ?[^ =;,"<>]+(?: ?= ?(?:${quotes}|[^ ;,"'<>]*))?)*)`, "g");
const relation = new RegExp(`; ?([^ =;,"<>]+)(?: ?= ?(${quotes}|[^ ;,"'<>]*))?`, "g");

function linkIn(headers: Headers): string | undefined {
  for (const [, target, parameters = ""] of linkText(headers).matchAll(linkValue)) {
    const [, , value = ""] = [...parameters.matchAll(relation)].find(([, name = ""]) => /^rel$/i.test(name)) ?? [];
    const relations = value.replace(/^["']|["']$/g, "").toLowerCase();
    if (relations.split(" ").includes("next")) return target;
  }
  return undefined;
}

/** A header that speaks of a next page in no form that can be followed. */
function unclearLink(headers: Headers): string | undefined {
  const text = linkText(headers);
  const others = new RegExp(String.raw`<[^<>]*>|; ?(?!rel\b)[^ =;,"<>]+ ?= ?(?:${quotes})`, "gi");
  return /\bnext\b/i.test(text.replace(others, "")) ? `the header Link ${text}` : undefined;
}

function linkText(headers: Headers): string {
  return headerText(headers, "link").replace(/\s+/g, " ");
}

function linkInFields(fields: readonly Field[]): string | undefined {
  for (const { name, value } of fields) {
    const link = targetOf(value);
    if (linkNames.includes(name) && typeof link === "string" && isLink(link)) return link;
  }
  return undefined;
}

function isLink(text: string): boolean {
  return /^(https?:\/\/|\/|\?)/i.test(text);
}
