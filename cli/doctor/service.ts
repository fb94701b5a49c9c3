import {
  type Client,
  ConfigurationError,
  createClient,
  ForbiddenError,
  type ResolvedOperations,
  UnauthorizedError,
} from "../../provider/client";
import { type ReadConfig, readConnection } from "../../provider/configuration";
import { usd } from "../money/show";
import { findSkew } from "./clock";
import { doubtful, type Finding, right, unknown, wrong } from "./finding";

/** How long each question may take: somebody is waiting for the answer. */
const usualPatienceMs = 5_000;

export async function findService(
  config: ReadConfig,
  environment: NodeJS.ProcessEnv,
  patienceMs = usualPatienceMs,
): Promise<Finding[]> {
  const about = "base URL";
  try {
    const connection = readConnection(config, environment);
    const client = createClient(connection);
    try {
      const where = environment["GPUFLEET_BASE_URL"] ? "GPUFLEET_BASE_URL" : "gpufleet:baseUrl";
      const [answers, skew] = await Promise.all([askAll(client, patienceMs), findSkew(connection.baseUrl, patienceMs)]);
      return [
        right(about, `${connection.baseUrl}, from ${where}`),
        keyFinding(
          connection.apiKey,
          environment["GPUFLEET_API_KEY"] ? "GPUFLEET_API_KEY" : "gpufleet:apiKey",
          answers.v2,
        ),
        reachFinding("v2 interface", answers.v2),
        reachFinding("v1 interface", answers.v1),
        balanceFinding(answers.balance),
        skew,
        ...operationFindings(answers.operations),
      ];
    } finally {
      await client.close();
    }
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return [wrong(about, "not set or not usable", error.message)];
  }
}

/** Everything at once, and for each the answer or the error instead of it. */
async function askAll(client: Client, patienceMs: number) {
  const call = { deadline: Date.now() + patienceMs };
  const [v2, v1, balance, operations] = await Promise.all([
    answerOf(client.listBareMetalRentals(call)),
    answerOf(client.listMarketplaceMachines({ filters: {} }, call)),
    answerOf(client.getBalance(call)),
    answerOf(client.resolveOperations(call)),
  ]);
  return { v2, v1, balance, operations };
}

function answerOf<Answer>(question: Promise<Answer>): Promise<Answer | Error> {
  return question.catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
}

function keyFinding(key: string | undefined, from: string, answer: unknown): Finding {
  if (key === undefined) {
    return wrong("key", "none", "Set GPUFLEET_API_KEY, or `pulumi config set --secret gpufleet:apiKey`.");
  }
  if (answer instanceof UnauthorizedError || answer instanceof ForbiddenError) {
    return wrong(
      "key",
      `from ${from}, and the service does not accept it`,
      "Have a new key made, and check that it is for this service.",
    );
  }
  if (answer instanceof Error)
    return unknown("key", `from ${from}; the service did not answer, so whether it is accepted is not known`);
  return right("key", `from ${from}, accepted`);
}

function reachFinding(about: string, answer: unknown): Finding {
  if (!(answer instanceof Error)) return right(about, "answers as documented");
  // An answer that refuses is an answer.
  if (answer instanceof UnauthorizedError || answer instanceof ForbiddenError)
    return right(about, "answers, and refuses the key");
  return wrong(about, answer.message, "Check the base URL, the network and any proxy in between.");
}

function balanceFinding(balance: { usd: number } | Error): Finding {
  if (balance instanceof Error) return unknown("balance", "not known");
  return balance.usd > 0
    ? right("balance", usd(balance.usd))
    : doubtful("balance", usd(balance.usd), "Creates may be refused, and machines ended: top it up.");
}

const origins = {
  configured: "configured in gpufleet:operations",
  described: "found in the service's description",
  conventional: "not described: the usual form is tried",
} as const;

function operationFindings(operations: ResolvedOperations | Error): Finding[] {
  if (operations instanceof Error) {
    return [
      doubtful(
        "undocumented operations",
        operations.message,
        "Without them nothing can be ended: put right what is wrong above first.",
      ),
    ];
  }
  return Object.entries(operations).map(([name, { kind, method, path }]) => {
    const found = `${method} ${path}, ${origins[kind]}`;
    return kind === "conventional"
      ? doubtful(
          name,
          found,
          `If the service does it otherwise, say so: pulumi config set gpufleet:operations '{"${name}": {"method": "…", "path": "…"}}'`,
        )
      : right(name, found);
  });
}
