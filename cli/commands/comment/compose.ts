import { readSettings } from "../../../provider/fronts";
import type { Runtime } from "../../../provider/lifecycle";
import { noPrices, type Prices } from "../../../provider/shared/prices";
import {
  findAdopted,
  findBalance,
  gapNotes,
  type Holding,
  listHoldings,
  lookUpAdopted,
  lookUpMachines,
} from "../../account";
import { type Billable, PriceBook, type Sum, sumOf } from "../../money";
import {
  accountDeltaOf,
  type Balance,
  type BilledChange,
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
import { complain } from "../../terminal";
import { failedPreview } from "./failedPreview";
import { writeJson } from "./json";
import { writeMarkdown } from "./markdown";
import { findPipeline } from "./pipeline";
import { type AskedAccount, completeFromState, findAccounts } from "./surroundings";
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
  const changes = await everyChange(preview, request.cwd);
  const accounts = await findAccounts(preview, changes, { cwd: request.cwd, environment });
  try {
    return await compose(request, { preview, policies, accounts }, { environment, now });
  } finally {
    for (const { runtime } of accounts) await runtime?.client.close();
  }
}

async function previewOf({ preview, errors, stack, cwd }: CommentRequest): Promise<Preview> {
  const text = await readInput(preview);
  if (errors !== undefined && text.trim() === "") return failedPreview(await readInput(errors), stack, cwd);
  return parsePreview(text, preview === "-" ? "standard input" : preview);
}

interface Read {
  preview: Preview;
  policies: Policies | undefined;
  accounts: readonly AskedAccount[];
}

async function compose(
  request: CommentRequest,
  { preview, policies, accounts }: Read,
  { environment, now }: { environment: NodeJS.ProcessEnv; now: number },
): Promise<Comment> {
  const billed = await Promise.all(accounts.map((account) => billAccount(request, preview, account)));
  const summary = summarize({
    preview,
    changes: billed.flatMap(({ changes }) => changes),
    policies,
    balances: billed.flatMap(({ balance }) => balance ?? []),
    secrets: secretsIn(environment),
  });
  const rules = judge(summary, request);
  const own = billed.flatMap(({ changes }, index) => (accounts[index]?.title === undefined ? changes : []));
  const budget = judgeBudget(own, summary, preview);
  const verdicts = budget ? [...rules, budget] : rules;
  const write = request.format === "json" ? writeJson : writeMarkdown;
  return {
    text: write(summary, verdicts, findPipeline(environment, now)),
    refused: rules.filter(({ ok }) => !ok).map(({ text }) => text),
  };
}

/** What one account starts and stops billing, by its own prices, and its balance. */
async function billAccount(
  request: CommentRequest,
  preview: Preview,
  { title, runtime, changes }: AskedAccount,
): Promise<{ changes: BilledChange[]; balance: Balance | undefined }> {
  const isOfStack = title === undefined || runtime === undefined;
  const book = new PriceBook(pricesFor(request, isOfStack ? configuredPrices(preview) : runtime.settings.prices));
  const account = runtime && (await askAccount(runtime, book));
  const holdings = account?.holdings ?? [];
  const billed = await billChanges(
    changes,
    book,
    runtime && ((billables) => lookUpMachines(runtime, lookUpAdopted(holdings, billables))),
  );
  // Where nothing tells which one is taken over, it is one of those that are listed.
  const isListed = (billable: Billable) => billable.id === undefined || findAdopted(holdings, billable) !== undefined;
  const { usd, running } = account ?? {};
  if (usd === undefined || running === undefined) return { changes: billed, balance: undefined };
  return { changes: billed, balance: { account: title, usd, running, delta: accountDeltaOf(billed, isListed) } };
}

function pricesFor({ prices = noPrices, price = noPrices }: CommentRequest, configured = noPrices): Prices {
  return new Map([...configured, ...prices, ...price]);
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

interface Asked {
  /** Undefined where it could not be read. */
  usd: number | undefined;
  running: Sum;
  holdings: readonly Holding[];
}

/** The balance, and on the way the prices of everything that the account runs. */
async function askAccount(service: Runtime, book: PriceBook): Promise<Asked | undefined> {
  try {
    const [{ balance, gaps }, account] = await Promise.all([findBalance(service.client), listHoldings(service)]);
    for (const note of gapNotes([...account.gaps, ...gaps])) complain(`gpufleet comment: warning: ${note}`);
    for (const holding of account.holdings) book.learn(holding);
    const running = sumOf(account.holdings.filter((holding) => holding.isLive));
    // What could not be read may run, too.
    const unknown = running.unknown + account.gaps.length;
    return { usd: balance, running: { ...running, unknown }, holdings: account.holdings };
  } catch (error) {
    complain(
      `gpufleet comment: warning: the balance and the prices of the account are not available: ${error instanceof Error ? error.message : error}`,
    );
    return undefined;
  }
}
