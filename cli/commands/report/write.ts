import { type Gap, lookUpMachine, type Situation, summarizeCost } from "../../account";
import { gpusByRegion, PriceBook } from "../../money";
import { billChanges, changesOf, parsePreview, readInput, type Summary, summarize } from "../../preview";
import { page } from "./page";

export interface ReportRequest {
  /** Undefined where it could not be read. */
  balance: number | undefined;
  /** What could not be read besides. */
  gaps?: readonly Gap[];
  /** The file of a preview. */
  preview: string | undefined;
  now: number;
}

export async function writeReport(situation: Situation, request: ReportRequest): Promise<string> {
  const { balance, gaps = [], preview, now } = request;
  return page({
    cost: summarizeCost(situation, { balance, gaps }, now),
    regions: gpusByRegion(situation.own),
    planned: preview === undefined ? undefined : await plannedIn(situation, preview),
    now,
  });
}

/** What the preview would change, with prices from everything that the account runs. */
async function plannedIn({ runtime, own, others }: Situation, file: string): Promise<Summary> {
  const preview = parsePreview(await readInput(file), file);
  const book = new PriceBook(runtime.settings.prices);
  for (const holding of [...own, ...others]) book.learn(holding);
  const changes = await billChanges(changesOf(preview), book, (billable) => lookUpMachine(runtime, billable));
  return summarize({ preview, changes });
}
