import {
  type Client,
  ConfigurationError,
  ForbiddenError,
  type ResolvedOperations,
  UnauthorizedError,
} from "../../../provider/client";
import { providerOf, type ReadConfig, readConnection } from "../../../provider/fronts";
import { showUsd } from "../../../provider/shared/money";
import { commandLine } from "../../place";
import { commandRuntime } from "../../stack";
import { statusLine } from "../../terminal";
import { findSkew } from "./clock";
import { type Finding, fail, ok, unknown, warn } from "./finding";
import { askLists, listFindings } from "./lists";
import { orError } from "./orError";
import { type HeldState, whereaboutsFindings } from "./whereabouts";

/** How long each request may take: somebody is waiting. */
const defaultTimeoutMs = 5_000;
/** That the service has no such list is believed when some seconds of looks have shown it. */
const missingListMs = 2_500;

export async function findService(
  config: ReadConfig,
  environment: NodeJS.ProcessEnv,
  held?: HeldState,
  timeoutMs = defaultTimeoutMs,
): Promise<Finding[]> {
  const check = "base URL";
  try {
    const connection = readConnection(config, environment);
    const runtime = commandRuntime(config, environment);
    const { client } = runtime;
    try {
      const [urlFrom, keyFrom] = sourcesOf(config, environment);
      const [answers, skew] = await statusLine.during("Checking the service…", () =>
        Promise.all([askAll(client, timeoutMs), findSkew(connection.baseUrl, timeoutMs)]),
      );
      return [
        ok(check, `${connection.baseUrl}, from ${urlFrom}`),
        keyFinding(connection.apiKey, keyFrom, answers.v2, providerOf(config) !== undefined),
        reachFinding("v2 interface", answers.v2),
        reachFinding("v1 interface", answers.v1),
        ...listFindings(answers.lists, [answers.v2, answers.v1]),
        balanceFinding(answers.balance),
        skew,
        ...(held ? whereaboutsFindings(held, runtime, answers.lists) : []),
        ...operationFindings(answers.operations),
      ];
    } finally {
      await client.close();
    }
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return [fail(check, "missing or invalid", error.message)];
  }
}

/** Where the address and the key are from: an explicit provider's own come before the environment. */
function sourcesOf(config: ReadConfig, environment: NodeJS.ProcessEnv): [url: string, key: string] {
  const isExplicit = providerOf(config) !== undefined;
  const source = (variable: string, key: string) => {
    if (isExplicit) return config(key) ? `the provider's ${key}` : variable;
    return environment[variable] ? variable : `gpufleet:${key}`;
  };
  return [source("GPUFLEET_BASE_URL", "baseUrl"), source("GPUFLEET_API_KEY", "apiKey")];
}

/** Everything at once, and for each the answer or the error instead of it. */
async function askAll(client: Client, timeoutMs: number) {
  const call = { deadline: Date.now() + timeoutMs };
  const [v1, balance, operations, lists] = await Promise.all([
    orError(client.listMarketplaceMachines({ filters: {} }, call)),
    orError(client.getBalance(call)),
    orError(client.resolveOperations(call)),
    askLists(client, { deadline: call.deadline + missingListMs }),
  ]);
  return { v2: lists[0]?.answer, v1, balance, operations, lists };
}

const adviceForStack = () =>
  `Set GPUFLEET_API_KEY, or \`${commandLine("pulumi config set --secret gpufleet:apiKey")}\`.`;
const adviceForProvider = "Give apiKey to the Provider in the program.";

function keyFinding(key: string | undefined, from: string, answer: unknown, isExplicit: boolean): Finding {
  if (key === undefined) return fail("API key", "missing", isExplicit ? adviceForProvider : adviceForStack());
  if (answer instanceof UnauthorizedError || answer instanceof ForbiddenError) {
    return fail(
      "API key",
      `from ${from}, rejected by the service`,
      "Create a new key, and check that it is for this service.",
    );
  }
  if (answer instanceof Error) return unknown("API key", `from ${from}, not checked: the service did not reply`);
  return ok("API key", `from ${from}, accepted`);
}

function reachFinding(check: string, answer: unknown): Finding {
  if (!(answer instanceof Error)) return ok(check, "replies as documented");
  // A service that rejects the key can be reached.
  if (answer instanceof UnauthorizedError || answer instanceof ForbiddenError)
    return ok(check, "replies, but rejects the key");
  return fail(check, answer.message, "Check the base URL, the network and any proxy in between.");
}

function balanceFinding(balance: { usd: number } | Error): Finding {
  if (balance instanceof Error) return unknown("balance", "unknown");
  return balance.usd > 0
    ? ok("balance", showUsd(balance.usd))
    : warn("balance", showUsd(balance.usd), "Top it up: creates may be refused and machines terminated.");
}

const sources = {
  configured: "configured in gpufleet:operations",
  described: "found in the service's description",
  conventional: "not described: the usual form is used",
} as const;

function operationFindings(operations: ResolvedOperations | Error): Finding[] {
  if (operations instanceof Error) {
    return [
      warn(
        "undocumented operations",
        operations.message,
        "Nothing can be deleted without them. Fix the errors above first.",
      ),
    ];
  }
  return Object.entries(operations).map(([name, { kind, method, path }]) => {
    const found = `${method} ${path}, ${sources[kind]}`;
    return kind === "conventional"
      ? warn(
          name,
          found,
          `If the service differs, set it: ${commandLine(`pulumi config set gpufleet:operations '{"${name}": {"method": "…", "path": "…"}}'`)}`,
        )
      : ok(name, found);
  });
}
