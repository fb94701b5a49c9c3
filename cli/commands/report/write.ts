import { type CostSummary, lookUpAdopted, lookUpMachines, runningIn, type Situation } from "../../account";
import { gpusByRegion, PriceBook } from "../../money";
import { billChanges, everyChange, parsePreview, readInput, type Summary, summarize } from "../../preview";
import { resourcesOf } from "../../stack";
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
    regions: gpusByRegion(situations.flatMap(runningIn)),
    planned: preview === undefined ? undefined : await plannedIn(situations, preview),
    now,
  });
}

/** What the preview would change, with prices from everything that the accounts run. */
async function plannedIn(situations: readonly [Situation, ...Situation[]], file: string): Promise<Summary> {
  const preview = parsePreview(await readInput(file), file);
  const [{ runtime }] = situations;
  const book = new PriceBook(runtime.settings.prices);
  const listed = situations.flatMap(({ own, others }) => [...own, ...others]);
  for (const one of situations.flatMap((situation) => [...runningIn(situation), ...situation.others])) book.learn(one);
  // What is not of this package is in the part of every account.
  const resources = new Set(situations.flatMap(({ state }) => resourcesOf(state)));
  const changes = await billChanges(everyChange(preview, resources), book, (billables) =>
    lookUpMachines(runtime, lookUpAdopted(listed, billables)),
  );
  return summarize({ preview, changes });
}
