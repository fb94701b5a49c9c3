import { type CostSummary, lookUpMachine, type Situation } from "../../account";
import { gpusByRegion, PriceBook } from "../../money";
import { billChanges, changesOf, parsePreview, readInput, type Summary, summarize } from "../../preview";
import { page } from "./page";

export interface ReportRequest {
  cost: CostSummary;
  /** The file of a preview. */
  preview: string | undefined;
  now: number;
}

export async function writeReport(
  situations: readonly [Situation, ...Situation[]],
  { cost, preview, now }: ReportRequest,
): Promise<string> {
  return page({
    cost,
    regions: gpusByRegion(situations.flatMap(({ own }) => own)),
    planned: preview === undefined ? undefined : await plannedIn(situations, preview),
    now,
  });
}

/** What the preview would change, with prices from everything that the accounts run. */
async function plannedIn(situations: readonly [Situation, ...Situation[]], file: string): Promise<Summary> {
  const preview = parsePreview(await readInput(file), file);
  const [{ runtime }] = situations;
  const book = new PriceBook(runtime.settings.prices);
  for (const holding of situations.flatMap(({ own, others }) => [...own, ...others])) book.learn(holding);
  const changes = await billChanges(changesOf(preview), book, (billable) => lookUpMachine(runtime, billable));
  return summarize({ preview, changes });
}
