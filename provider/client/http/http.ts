import type { z } from "zod";
import { type Operation, refusalIn } from "../../service";
import { cleanText } from "../../shared/cleanText";
import { parseJson } from "../../shared/json";
import * as errors from "../errors";
import { describeFirstProblem, describeProblems, isPage } from "../text";
import type { Clock } from "./clock";
import { type Exchange, ExchangeFailure, openExchange } from "./exchange";
import { type CallFacts, type Failure, lost, refused, unreadable } from "./failure";
import type { Limits } from "./limits";
import { noteAnswer } from "./reachability";
import { retryDelay } from "./retry";
import { ServiceClock } from "./serviceClock";
import { LimitReached, TimeLimit } from "./timeLimit";
import { type Headers, header, type Transport } from "./transport";

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** When to give up at the latest, in milliseconds since 1970 by the client's clock. See `deadlineFactor` for the default. */
  deadline?: number | undefined;
  /** Run before every attempt, retries included. If it throws, nothing is sent and its error passes through. */
  beforeAttempt?: (() => Promise<void>) | undefined;
  /** Run after an attempt that has made nothing and is to be repeated, before the wait. */
  onPutOff?: (() => void) | undefined;
}

export interface HttpOptions {
  baseUrls: Record<Operation["base"], string>;
  apiKey: string | undefined;
  names: errors.SettingNames;
  userAgent: string;
  transport: Transport;
  clock: Clock;
  random: () => number;
  limits: Limits;
}

/** A request that is ready to be sent: an operation with its path and its body. */
export interface Call<Response extends z.ZodType = z.ZodType>
  extends Pick<Operation, "base" | "key" | "idempotent">,
    errors.FailedCall {
  /** Already checked. */
  body: unknown;
  response: Response;
  /** Where to send it, where that is not its path below the base URL: the next page of a list. */
  url?: string;
  /** Whether the service may answer with anything: text and nothing at all included, but not a web page, which is a proxy's. */
  takesAnyBody?: boolean;
  /** Whether the answer takes as long as the work does. */
  inference?: boolean;
}

export interface Answer<Value> {
  value: Value;
  status: number;
  headers: Headers;
}

/** Sends calls: with the key, within the limits, again where that is safe; and turns every failure into a ServiceError. */
export class Http {
  readonly #options: HttpOptions;
  readonly #serviceClock: ServiceClock;
  readonly secrets: readonly string[];

  constructor(options: HttpOptions) {
    this.#options = options;
    this.#serviceClock = new ServiceClock(options.clock);
    this.secrets = options.apiKey === undefined ? [] : [options.apiKey];
    // Printing a client must not print the key.
    Object.defineProperty(this, "secrets", { enumerable: false });
  }

  /** The request as its schema reads it, defaults filled in: what is sent is what was checked. */
  check<Schema extends z.ZodType>(call: errors.FailedCall, schema: Schema, request: unknown): z.output<Schema> {
    const parsed = schema.safeParse(request);
    if (parsed.success) return parsed.data;
    throw new errors.InvalidRequestError(call, describeProblems(parsed.error, request, this.secrets));
  }

  /** Sends the call and reads its whole answer. */
  async send<Response extends z.ZodType>(
    call: Call<Response>,
    options: CallOptions = {},
  ): Promise<Answer<z.output<Response>>> {
    return this.#retry(call, options, async (exchange, facts) => {
      const text = await exchange.readText();
      const json = text === "" ? undefined : parseJson(text);
      const isText = json === undefined && text !== "";
      if (isText && (!call.takesAnyBody || isPage(text)))
        throw new FailedAttempt(unreadable(facts, exchange.status, "it is not JSON"));
      const value = isText ? text : json;
      const parsed = call.response.safeParse(value);
      if (parsed.success) return { value: parsed.data, status: exchange.status, headers: exchange.headers };
      const problem = () => describeFirstProblem(parsed.error, value, this.secrets);
      const reason = text === "" ? "it is empty" : (this.#refusalIn(value) ?? problem());
      throw new FailedAttempt(unreadable(facts, exchange.status, reason));
    });
  }

  /** The service's own words, where it says in the body of a 2xx that it has refused. */
  #refusalIn(body: unknown): string | undefined {
    const refusal = refusalIn(body);
    return refusal === undefined ? undefined : `it says "${cleanText(refusal, { secrets: this.secrets })}"`;
  }

  /** Sends the call and hands over its answer as soon as the service has accepted it. */
  async open(call: Call, options: CallOptions = {}): Promise<Exchange> {
    return this.#retry(call, options, async (exchange) => exchange);
  }

  /** Where the call is sent. */
  urlOf(call: Pick<Call, "base" | "path" | "url">): string {
    return call.url ?? this.#options.baseUrls[call.base] + call.path;
  }

  /** When the call is given up at the latest. */
  deadlineOf(call: Pick<Call, "inference">, { deadline }: CallOptions): number {
    const { clock, limits } = this.#options;
    return deadline ?? clock.now() + (call.inference ? limits.inferenceTotal : limits.total) * limits.deadlineFactor;
  }

  /** Waits before a call is sent once more; false where its time would be up first. */
  async pause(
    call: errors.FailedCall,
    milliseconds: number,
    options: CallOptions & { deadline: number },
  ): Promise<boolean> {
    if (this.#options.clock.now() + milliseconds >= options.deadline) return false;
    await this.#sleep(call, milliseconds, options.signal);
    return true;
  }

  now(): number {
    return this.#options.clock.now();
  }

  serviceNow(): number {
    return this.#serviceClock.now();
  }

  /** Whether the service has answered yet: before that, `serviceNow` is this machine's time. */
  get hasAnswered(): boolean {
    return this.#serviceClock.hasAnswer;
  }

  /** Waits for something that is shared with other calls, by this caller's own signal and deadline. */
  async waitFor<Value>(call: errors.FailedCall, shared: Promise<Value>, options: CallOptions): Promise<Value> {
    const { clock, limits } = this.#options;
    const left = (options.deadline ?? Number.POSITIVE_INFINITY) - clock.now();
    const total = Math.min(left, limits.total * limits.deadlineFactor);
    const limit = new TimeLimit(total, options.signal);
    try {
      return await limit.orEnd(shared);
    } catch (error) {
      if (!(error instanceof LimitReached)) throw error;
      const failed = error.kind === "timeout" ? errors.TimeoutError : errors.AbortedError;
      throw new failed(call, { reason: error.message, cause: error.cause });
    } finally {
      limit.stop({ cut: false });
    }
  }

  async #retry<Result>(
    call: Call,
    options: CallOptions,
    read: (exchange: Exchange, facts: CallFacts) => Promise<Result>,
  ): Promise<Result> {
    const { clock, limits } = this.#options;
    const facts = this.#factsOf(call);
    const body = writeBody(call);
    const total = call.inference ? limits.inferenceTotal : limits.total;
    const startedAt = clock.now();
    const deadline = this.deadlineOf(call, options);
    const isUrgent = call.inference && options.deadline === undefined;
    const retryUntil = isUrgent ? Math.min(deadline, startedAt + limits.inferencePatience) : deadline;
    for (let number = 1; ; number++) {
      refuseLate(call, options.signal, deadline - clock.now());
      await options.beforeAttempt?.();
      const left = deadline - clock.now();
      refuseLate(call, options.signal, left);
      try {
        const limit = Math.min(total, left);
        const exchange = await this.#exchange(call, body, limit, options.signal);
        noteAnswer(facts.baseUrl);
        this.#serviceClock.note(exchange.headers);
        return await this.#readAccepted(exchange, facts, read);
      } catch (error) {
        const failure = error instanceof FailedAttempt ? error.failure : failureOf(error, facts);
        const wait = retryDelay(
          failure.retry,
          { number, baseUrl: facts.baseUrl, startedAt, deadline: retryUntil },
          this.#options,
        );
        if (wait === undefined) throw failure.error;
        options.onPutOff?.();
        await this.#sleep(call, wait, options.signal);
      }
    }
  }

  #exchange(call: Call, body: string | undefined, total: number, signal: AbortSignal | undefined): Promise<Exchange> {
    const { transport, limits, apiKey, userAgent } = this.#options;
    const headers: Record<string, string> = {
      accept: "application/json, text/event-stream",
      // Without it, any coding would be allowed (RFC 9110, 12.5.3), and none is decoded here.
      "accept-encoding": "identity",
      "user-agent": userAgent,
    };
    // The interface asks it of every v1 operation, those without a body included.
    if (body !== undefined || call.base === "v1") headers["content-type"] = "application/json";
    if (call.key && apiKey !== undefined) headers["authorization"] = `Bearer ${apiKey}`;
    const timeout = call.inference ? total : Math.min(limits.headers, total);
    const request = { method: call.method, url: this.urlOf(call), headers, timeout };
    const options = { transport, total, signal, secrets: this.secrets };
    return openExchange(body === undefined ? request : { ...request, body }, options);
  }

  async #readAccepted<Result>(
    exchange: Exchange,
    facts: CallFacts,
    read: (exchange: Exchange, facts: CallFacts) => Promise<Result>,
  ): Promise<Result> {
    const { status, headers } = exchange;
    const coding = codingOf(exchange, this.secrets);
    const isAccepted = status >= 200 && status < 300;
    if (isAccepted && coding === undefined) return read(exchange, facts);
    const beginning = await exchange.readBeginning(this.#options.limits.errorBytes);
    if (isAccepted) throw new FailedAttempt(unreadable(facts, status, `it is encoded as ${coding}`));
    const text = coding === undefined ? beginning : "";
    throw new FailedAttempt(refused(facts, { status, headers, text, now: this.serviceNow() }));
  }

  async #sleep(call: errors.FailedCall, wait: number, signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.#options.clock.sleep(wait, signal);
    } catch (error) {
      if (signal?.aborted) throw cancelled(call, signal);
      throw error;
    }
  }

  #factsOf(call: Call): CallFacts {
    const { operation, method, path, idempotent } = call;
    const { apiKey, names, baseUrls } = this.#options;
    const baseUrl = baseUrls[call.base];
    return {
      operation,
      method,
      path,
      idempotent,
      keySent: call.key && apiKey !== undefined,
      names,
      baseUrl,
      // One setting gives both addresses unless they differ.
      base: baseUrl === baseUrls.v2 ? "v2" : call.base,
      secrets: this.secrets,
    };
  }
}

/** Codings that are in use. What else stands there (`none`, `utf-8`) is no coding, and what cannot be read is found out when it is read. */
const codings = /\b(?:x-)?(?:gzip|deflate|br|zstd|compress)\b/i;

/** How the body is encoded although nobody asked for that; undefined where it can be read as it is. */
function codingOf({ status, headers }: Exchange, secrets: readonly string[]): string | undefined {
  const coding = cleanText(header(headers, "content-encoding") ?? "", { secrets, max: 40 });
  return status !== 204 && codings.test(coding) ? coding : undefined;
}

/** Carries a failure out of the reading of an answer, to where it is decided whether to retry. */
class FailedAttempt extends Error {
  constructor(readonly failure: Failure) {
    super(failure.error.message);
  }
}

function failureOf(error: unknown, facts: CallFacts): Failure {
  if (error instanceof ExchangeFailure) return lost(facts, error);
  throw error;
}

function refuseLate(call: Call, signal: AbortSignal | undefined, left: number): void {
  if (signal?.aborted) throw cancelled(call, signal);
  if (left <= 0) throw new errors.TimeoutError(call, { reason: "not sent, the deadline has passed" });
}

function cancelled(call: errors.FailedCall, signal: AbortSignal): errors.AbortedError {
  return new errors.AbortedError(call, { reason: "not sent, cancelled by the caller", cause: signal.reason });
}

function writeBody(call: Call): string | undefined {
  if (call.body === undefined) return undefined;
  try {
    return JSON.stringify(call.body);
  } catch (error) {
    const why = error instanceof Error ? error.message.split("\n")[0] : "unknown error";
    const problem = { property: "(the whole value)", value: "(an object)", rule: `must be valid JSON: ${why}` };
    throw new errors.InvalidRequestError(call, [problem]);
  }
}
