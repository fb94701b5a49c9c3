import { lookUpMachine } from "../../account/lookUpMachine";
import type { Situation } from "../../account/situation";
import { reckon } from "../../account/summarizeCost";
import { PriceBook } from "../../money/priceBook";
import { gpusByPlace } from "../../money/sum";
import { billChanges } from "../../preview/billing";
import { changesOf } from "../../preview/changes";
import { parsePreview, readInput } from "../../preview/readPreview";
import { type Summary, summarize } from "../../preview/summary";
import { page } from "./page";

export interface ReportRequest {
  balance: number;
  /** The file of a preview. */
  preview: string | undefined;
  now: number;
}

export async function writeReport(situation: Situation, { balance, preview, now }: ReportRequest): Promise<string> {
  return page({
    cost: reckon(situation, balance, now),
    places: gpusByPlace(situation.own),
    planned: preview === undefined ? undefined : await plannedIn(situation, preview),
    now,
  });
}

/** What the preview would change, with prices from everything that the account runs. */
async function plannedIn({ runtime, own, others }: Situation, file: string): Promise<Summary> {
  const preview = parsePreview(await readInput(file), file);
  const book = new PriceBook();
  for (const holding of [...own, ...others]) book.learn(holding);
  const changes = await billChanges(changesOf(preview), book, (billable) => lookUpMachine(runtime, billable));
  return summarize({ preview, changes });
}
