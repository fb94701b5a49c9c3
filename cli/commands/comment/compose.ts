import { readSettings } from "../../../provider/fronts";
import type { Runtime } from "../../../provider/lifecycle";
import { noPrices, type Prices } from "../../../provider/shared/prices";
import { findBalance, gapNotes, listHoldings, lookUpMachine } from "../../account";
import { PriceBook, sumOf } from "../../money";
import {
  type Balance,
  billChanges,
  type Change,
  changesOf,
  countNotShown,
  type Policies,
  type Preview,
  parsePreview,
  readInput,
  readPolicies,
  summarize,
} from "../../preview";
import { secretsIn } from "../../stack";
import { failedPreview } from "./failedPreview";
import { writeJson } from "./json";
import { writeMarkdown } from "./markdown";
import { findPipeline } from "./pipeline";
import { completeFromState, findService } from "./surroundings";
import { judge, judgeBudget, type Rules } from "./verdicts";

export interface CommentRequest extends Rules {
  /** A file, or `-`. */
  preview: string;
  /** What the preview said on standard error, where it may have printed nothing else. */
  errors?: string | undefined;
  /** The stack of the preview, for the same case. */
  stack?: string | undefined;
  events?: string | undefined;
  format: "markdown" | "json";
  /** A price book given by hand, which wins over that of the stack's configuration. */
  prices?: Prices | undefined;
  /** Single prices given by hand, which win over both. */
  price?: Prices | undefined;
  cwd: string;
}

export interface Comment {
  text: string;
  /** The rules of the request that are broken, in words. */
  refused: string[];
}

export async function composeComment(
  request: CommentRequest,
  environment = process.env,
  now = Date.now(),
): Promise<Comment> {
  const preview = await previewOf(request);
  const policies =
    request.events === undefined ? undefined : readPolicies(await readInput(request.events), request.events);
  const service = await findService(preview, request.cwd, environment);
  try {
    return await compose(request, preview, policies, service, { environment, now });
  } finally {
    await service?.client.close();
  }
}

async function previewOf({ preview, errors, stack, cwd }: CommentRequest): Promise<Preview> {
  const text = await readInput(preview);
  if (errors !== undefined && text.trim() === "") return failedPreview(await readInput(errors), stack, cwd);
  return parsePreview(text, preview === "-" ? "standard input" : preview);
}

async function compose(
  request: CommentRequest,
  preview: Preview,
  policies: Policies | undefined,
  service: Runtime | undefined,
  { environment, now }: { environment: NodeJS.ProcessEnv; now: number },
): Promise<Comment> {
  const changes = await everyChange(preview, request.cwd);
  const book = new PriceBook(pricesFor(request, preview));
  const balance = service && (await askAccount(service, book));
  const billed = await billChanges(changes, book, (billable) =>
    service ? lookUpMachine(service, billable) : Promise.resolve(billable),
  );
  const summary = summarize({ preview, changes: billed, policies, balance, secrets: secretsIn(environment) });
  const rules = judge(summary, request);
  const budget = judgeBudget(summary, preview);
  const verdicts = budget ? [...rules, budget] : rules;
  const write = request.format === "json" ? writeJson : writeMarkdown;
  return {
    text: write(summary, verdicts, findPipeline(environment, now)),
    refused: rules.filter(({ ok }) => !ok).map(({ text }) => text),
  };
}

function pricesFor({ prices = noPrices, price = noPrices }: CommentRequest, preview: Preview): Prices {
  return new Map([...configuredPrices(preview), ...prices, ...price]);
}

/** The price book of the stack, which every preview carries along. */
function configuredPrices({ config }: Preview): Prices {
  return readSettings((key) => (key === "prices" ? config?.["gpufleet:prices"] : undefined), {}).prices;
}

/** Without `--show-sames` a preview does not show unchanged resources; the stack's state has them, where it can be read. */
async function everyChange(preview: Preview, cwd: string): Promise<Change[]> {
  const changes = changesOf(preview);
  return countNotShown(preview, changes) > 0
    ? [...changes, ...(await completeFromState(preview, changes, cwd))]
    : changes;
}

/** The balance, and on the way the prices of everything that the account runs. */
async function askAccount(service: Runtime, book: PriceBook): Promise<Balance | undefined> {
  try {
    const [{ balance, gaps }, account] = await Promise.all([findBalance(service.client), listHoldings(service)]);
    for (const note of gapNotes([...account.gaps, ...gaps])) console.error(`gpufleet comment: warning: ${note}`);
    for (const holding of account.holdings) book.learn(holding);
    const running = sumOf(account.holdings.filter((holding) => holding.isLive));
    // What could not be read may run, too.
    const unknown = running.unknown + account.gaps.length;
    return balance === undefined ? undefined : { usd: balance, running: { ...running, unknown } };
  } catch (error) {
    console.error(
      `gpufleet comment: warning: the balance and the prices of the account are not available: ${error instanceof Error ? error.message : error}`,
    );
    return undefined;
  }
}
