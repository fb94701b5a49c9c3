import { type ReadConfig, readSettings } from "../../../provider/fronts";
import type { Runtime } from "../../../provider/lifecycle";
import { messageOf } from "../../../provider/shared/messageOf";
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
import { type Billable, notListedNotes, PriceBook, type Sum, sumOf } from "../../money";
import {
  accountDeltaOf,
  type Balance,
  type BilledChange,
  billChanges,
  everyChange,
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
import { type AskedAccount, findAccounts, findConfig, settingIn, stateOf } from "./surroundings";
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
  const changes = everyChange(preview, await stateOf(preview, request.cwd));
  const config = await findConfig(preview, { cwd: request.cwd, environment });
  const accounts = await findAccounts(preview, changes, { cwd: request.cwd, environment, config });
  try {
    return await compose(request, { preview, policies, accounts, config }, { environment, now });
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
  /** That of the stack, where it can be read. */
  config: ReadConfig | undefined;
}

async function compose(
  request: CommentRequest,
  { preview, policies, accounts, config }: Read,
  { environment, now }: { environment: NodeJS.ProcessEnv; now: number },
): Promise<Comment> {
  const configured = configuredPrices(preview, config);
  const billed = await Promise.all(accounts.map((account) => billAccount(request, configured, account)));
  const summary = summarize({
    preview,
    changes: billed.flatMap(({ changes }) => changes),
    policies,
    balances: billed.flatMap(({ balance }) => balance ?? []),
    secrets: secretsIn(environment),
  });
  const rules = judge(summary, request);
  const own = billed.flatMap(({ changes }, index) => (accounts[index]?.title === undefined ? changes : []));
  const budget = judgeBudget(own, summary, settingIn(preview, config, "maxCostPerHour"));
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
  configured: Prices,
  { title, runtime, changes }: AskedAccount,
): Promise<{ changes: BilledChange[]; balance: Balance | undefined }> {
  const isOfStack = title === undefined || runtime === undefined;
  const book = new PriceBook(pricesFor(request, isOfStack ? configured : runtime.settings.prices));
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

function pricesFor({ prices = noPrices, price = noPrices }: CommentRequest, configured: Prices): Prices {
  return new Map([...configured, ...prices, ...price]);
}

/** The price book of the stack. Warns where it has one that cannot be used. */
function configuredPrices(preview: Preview, config: ReadConfig | undefined): Prices {
  const setting = settingIn(preview, config, "prices");
  const unused = (why: string) => complain(`gpufleet comment: warning: the price book is not used: ${why}`);
  if (setting && setting.value === undefined) {
    unused("gpufleet:prices is a secret, and the configuration of the stack cannot be read here");
    return noPrices;
  }
  try {
    return readSettings((key) => (key === "prices" ? setting?.value : undefined), {}).prices;
  } catch (error) {
    unused(setting?.isSecret ? "gpufleet:prices cannot be read" : messageOf(error));
    return noPrices;
  }
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
    for (const note of [...notListedNotes(account.notListed), ...gapNotes([...account.gaps, ...gaps])])
      complain(`gpufleet comment: warning: ${note}`);
    for (const holding of account.holdings) book.learn(holding);
    const running = sumOf(account.holdings.filter((holding) => holding.isLive));
    // What could not be read, or is not listed at all, may run, too.
    const unknown = running.unknown + account.gaps.length + account.notListed.length;
    return { usd: balance, running: { ...running, unknown }, holdings: account.holdings };
  } catch (error) {
    complain(
      `gpufleet comment: warning: the balance and the prices of the account are not available: ${messageOf(error)}`,
    );
    return undefined;
  }
}
