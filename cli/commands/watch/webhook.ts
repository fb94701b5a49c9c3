import type { Dispatcher } from "undici";
import { type Clock, createAgent, systemClock } from "../../../provider/client";
import { retryBackoff, withoutJitter } from "../../../provider/shared/backoff";
import { cleanText } from "../../../provider/shared/cleanText";
import { isLoopback } from "../../../provider/shared/loopback";
import { messageOf } from "../../../provider/shared/messageOf";

/** Parts of a path that are shorter are words, and no secrets. */
const shortestSecret = 8;

/** Where reports are posted. The URL is a secret: whoever has it can post there. */
export class Webhook {
  private readonly url: URL;

  constructor(text: string) {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (!url) throw new Error("the webhook is not a URL such as https://host/path");
    if (url.username || url.password) throw new Error("the webhook must not contain a user or password");
    this.url = url;
    if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) {
      throw new Error(`the webhook ${this.name} must use https; plain http is allowed on loopback addresses only`);
    }
  }

  /** As much of it as may be shown. */
  get name(): string {
    return `${this.url.protocol}//${this.url.host}/…`;
  }

  /** What must be shown nowhere. */
  get secrets(): string[] {
    const { href, pathname, search, searchParams } = this.url;
    const parts = [`${pathname}${search}`, ...pathname.split("/"), ...searchParams.values()];
    return [href, ...parts.filter((part) => part.length >= shortestSecret)];
  }

  /** Posts this as JSON. Tries again where the receiver is unwell or cannot be reached: a message twice is better than none. */
  async post(body: object, { limits = defaultLimits, clock = systemClock }: PostOptions = {}): Promise<void> {
    const dispatcher = createAgent(this.url);
    try {
      for (let attempt = 1; ; attempt++) {
        const outcome = await this.send(dispatcher, JSON.stringify(body), limits);
        if (outcome.kind === "taken") return;
        if (outcome.kind === "refused" || attempt >= limits.attempts) {
          const tries = attempt > 1 ? ` (${attempt} attempts)` : "";
          throw new Error(`posting to the webhook ${this.name} failed${tries}: ${outcome.reason}`);
        }
        await clock.sleep(retryBackoff(attempt, limits.firstPauseMs, Number.POSITIVE_INFINITY, withoutJitter));
      }
    } finally {
      await dispatcher.destroy();
    }
  }

  private async send(dispatcher: Dispatcher, body: string, { timeoutMs }: PostLimits): Promise<Outcome> {
    const { request } = await import("undici");
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      // Redirects are not followed: they could take the report elsewhere.
      const { statusCode, body: answer } = await request(this.url, {
        method: "POST",
        dispatcher,
        signal,
        headers: { "content-type": "application/json", "user-agent": "pulumi-gpufleet" },
        body,
      });
      const text = await answer.text();
      if (statusCode >= 200 && statusCode < 300) return { kind: "taken" };
      const reason = `it answered ${statusCode}: ${this.clean(text) || "nothing"}`;
      return { kind: statusCode >= 500 || statusCode === 429 ? "unwell" : "refused", reason };
    } catch (error) {
      const reason = signal.aborted ? `no answer within ${timeoutMs / 1000} s` : this.clean(messageOf(error));
      return { kind: "unwell", reason };
    }
  }

  private clean(text: string): string {
    return cleanText(text, { secrets: this.secrets, max: 300 });
  }
}

export interface PostOptions {
  limits?: PostLimits;
  clock?: Clock;
}

export interface PostLimits {
  /** For one attempt. */
  timeoutMs: number;
  attempts: number;
  /** Doubles with every attempt. */
  firstPauseMs: number;
}

const defaultLimits: PostLimits = { timeoutMs: 10_000, attempts: 4, firstPauseMs: 1000 };

type Outcome = { kind: "taken" } | { kind: "refused" | "unwell"; reason: string };
