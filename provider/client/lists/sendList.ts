import { z } from "zod";
import type { List, Listing } from "../../service";
import { cleanText } from "../../shared/cleanText";
import * as errors from "../errors";
import type { Call, CallOptions, Http } from "../http";
import { distinct } from "./distinct";
import type { Totals } from "./page";
import { whatFollows } from "./pages";
import { findItems, readItems } from "./readItems";
import { totalsIn } from "./signs";

/** So many pages hold more machines than anyone has: beyond that the service is going round in circles. */
const mostPages = 1000;

/** Sends a call that lists something, follows its pages, and reads its items. Fails where what came may not be everything. */
export async function sendList<Item>(
  http: Http,
  call: Omit<Call, "response">,
  list: List<Item>,
  options: CallOptions = {},
): Promise<Listing<Item>> {
  const deadline = http.deadlineOf(call, options);
  let status: number | undefined;
  const unclear = (reason: string) =>
    new errors.UnreadableAnswerError(call, {
      status,
      reason: `the answer could not be read: ${cleanText(reason, { secrets: http.secrets })}`,
    });
  let all: Listing<Item> | undefined;
  let url = http.urlOf(call);
  const seen = new Set<string>();
  const known = new Set<string>();
  let total = 0;
  let said: Totals = {};
  for (;;) {
    if (seen.has(url)) throw unclear("its pages lead back to one that was read already");
    if (seen.size >= mostPages) throw unclear(`it has more than ${mostPages} pages`);
    seen.add(url);
    const answer = await http
      .send({ ...call, url, response: z.unknown() }, { ...options, deadline })
      // Some services answer so where there is nothing to list. A later page would be missing.
      .catch((error: unknown) => {
        if (all === undefined && saysThereAreNone(list, error)) return undefined;
        throw error;
      });
    if (answer === undefined) return distinct(list, []);
    const { value: body, headers } = answer;
    status = answer.status;
    const found = findItems(list, body);
    if (found.kind === "none") throw unclear(found.reason);
    const own = found.items.filter((item) => !list.isOther?.(item));
    const page = readItems(list, own, http.secrets);
    const keys = page.map((item) => list.identityOf(item)?.key);
    const count = found.items.length;
    // What an earlier page had, too, is not one of those that are still missing.
    total += count - keys.filter((key) => key !== undefined && known.has(key)).length;
    for (const key of keys) if (key !== undefined) known.add(key);
    all = join(all, page);
    // Where a page does not say how much there is, what one before has said still stands.
    said = { ...said, ...totalsIn({ headers, body }) };
    const following = whatFollows({ url, status, headers, body, count, total, said, pages: seen.size });
    if (following.kind === "end") return distinct(list, all);
    if (following.kind === "unclear") {
      throw unclear(`it is not the whole list, and how to ask for the rest is not known (${following.sign})`);
    }
    url = following.url;
  }
}

/** "No rentals found", "There are no active rentals": a sentence that says that, and nothing else. */
export function saysThereAreNone<Item>({ nouns }: List<Item>, error: unknown): boolean {
  if (nouns === undefined || !(error instanceof errors.NotFoundError) || !error.fromJson) return false;
  const kinds = "(active|current|running|open|on-demand|gpu|bare[- ]metal|virtual[- ]machine|vm|storage|marketplace)";
  const owner = "(for|in) (this|your|the) (user|account|organi[sz]ation|project|team)";
  const sentence = `^((there (are|is)|you have) (currently )?)?(no|0) (${kinds} )*(${nouns})( (were |have been )?(found|exists?)| yet| ${owner})*[.!]?( \\(\\w+\\))?$`;
  return new RegExp(sentence, "i").test(error.reason.trim());
}

/** The items of one page behind those of the pages before. */
function join<Item>(before: Listing<Item> | undefined, page: Listing<Item>): Listing<Item> {
  if (!before) return page;
  const joined: Listing<Item> = before.concat(page);
  const unreadable = [...(before.unreadable ?? []), ...(page.unreadable ?? [])];
  if (unreadable.length > 0) joined.unreadable = unreadable;
  return joined;
}
