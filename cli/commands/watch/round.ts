import type { Situations } from "../../account";
import type { Report } from "./finding";
import { type LookRequest, lookAt, reportFailure } from "./look";
import type { Memory } from "./memory";
import type { PostOptions, Webhook } from "./webhook";
import { reportJson, slackMessage } from "./words";

/** Everything that a round of watching works with. */
export interface Watch {
  /** Reads the stack and its accounts. */
  look: () => Promise<Situations>;
  /** The stack, for reports of when it could not be read. */
  stackName: string;
  request: LookRequest;
  memory: Memory;
  webhook?: { to: Webhook; format: "json" | "slack"; options?: PostOptions } | undefined;
  /** Whether to post even what is no news. */
  always: boolean;
}

export interface Round {
  report: Report;
  /** Whether it differs from the last one that reached its receiver. */
  isNews: boolean;
  /** Why nothing could be looked at, or why the webhook did not get the report. */
  failures: unknown[];
}

/** Looks once and posts what is found. What the webhook has not taken is news the next time, too. */
export async function watchRound(watch: Watch): Promise<Round> {
  const { webhook, memory, always } = watch;
  const { report, failures } = await look(watch);
  const isNews = memory.isNews(report);
  try {
    if (webhook && (isNews || always)) {
      await webhook.to.post(webhook.format === "slack" ? slackMessage(report) : reportJson(report), webhook.options);
    }
    memory.keep(report);
    return { report, isNews, failures };
  } catch (error) {
    return { report, isNews, failures: [...failures, error] };
  }
}

async function look({ look, stackName, request }: Watch): Promise<{ report: Report; failures: unknown[] }> {
  try {
    const found = await look();
    try {
      return { report: await lookAt(found, request), failures: [] };
    } finally {
      await found.close();
    }
  } catch (error) {
    return { report: reportFailure(stackName, error, new Date(), request), failures: [error] };
  }
}
