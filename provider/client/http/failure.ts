import { lists, type Operation } from "../../service";
import * as errors from "../errors";
import { describeErrorBody } from "../text";
import type { ExchangeFailure } from "./exchange";
import { adviceToReach } from "./reachability";
import type { RetryRule } from "./retry";
import { readRetryAfter } from "./retryAfter";
import { type Headers, header } from "./transport";

/** The call as its failures need to know it. */
export interface CallFacts extends errors.FailedCall {
  /** Whether sending it twice does no more than sending it once. */
  idempotent: boolean;
  baseUrl: string;
  /** Which setting gave the base URL. */
  base: Operation["base"];
  keySent: boolean;
  names: errors.SettingNames;
  secrets: readonly string[];
}

/** One attempt that failed, and whether another may follow. */
export interface Failure {
  error: errors.ServiceError;
  retry: RetryRule;
}

export interface Refusal {
  status: number;
  headers: Headers;
  text: string;
  now: number;
}

/** An answer outside 2xx. */
export function refused(call: CallFacts, { status, headers, text, now }: Refusal): Failure {
  const { reason, code, page, isJson } = describeErrorBody(text, status, { secrets: call.secrets });
  const afterMs = readRetryAfter(header(headers, "retry-after"), now);
  const detail = { status, reason, code };
  const waiting = { ...detail, retryAfter: afterMs, advice: adviceToWait(afterMs) };
  if (status === 429) {
    return { error: new errors.RateLimitedError(call, waiting), retry: { kind: "asked", afterMs } };
  }
  if (status >= 500 || status === 408) {
    const error = new errors.ServerError(call, waiting);
    if (!call.idempotent) return final(unknownOutcome(call, error, status));
    return { error, retry: afterMs === undefined ? { kind: "backoff" } : { kind: "asked", afterMs } };
  }
  if (status < 400) {
    const error = redirected(call, status);
    return final(call.idempotent ? error : unknownOutcome(call, error, status));
  }
  if (status === 401)
    return final(new errors.UnauthorizedError(call, { ...detail, keySent: call.keySent, names: call.names }));
  if (status === 403) return final(new errors.ForbiddenError(call, detail));
  if (status === 404) return final(notFound(call, { ...detail, fromPage: page, fromJson: isJson ?? false }));
  return final(new errors.BadRequestError(call, detail));
}

/** No answer, or not the whole of one. */
export function lost(call: CallFacts, failure: ExchangeFailure): Failure {
  const definite = failure.sent === "no" || call.idempotent;
  const error = lostError(call, failure);
  const mayRetry = definite && !failure.permanent && (failure.kind === "connection" || failure.kind === "timeout");
  const kind = failure.sent === "no" ? "unreached" : "backoff";
  return { error: definite ? error : unknownOutcome(call, error), retry: { kind: mayRetry ? kind : "never" } };
}

function lostError(call: CallFacts, failure: ExchangeFailure): errors.ServiceError {
  const { cause } = failure;
  switch (failure.kind) {
    case "aborted":
      return new errors.AbortedError(call, { reason: failure.message, cause });
    case "timeout":
      return new errors.TimeoutError(call, { reason: failure.message, cause });
    case "size":
      return new errors.UnreadableAnswerError(call, { reason: failure.message, cause });
    case "connection":
      return failure.sent === "no" ? unreachedError(call, failure) : cutError(call, failure);
  }
}

function unreachedError(call: CallFacts, failure: ExchangeFailure): errors.ConnectionError {
  const { message, permanent, cause } = failure;
  const advice = failure.advice ?? (permanent ? undefined : adviceToReach(call));
  return new errors.ConnectionError(call, { reason: `could not reach ${call.baseUrl}: ${message}`, advice, cause });
}

function cutError(call: CallFacts, { message, cause }: ExchangeFailure): errors.ConnectionError {
  return new errors.ConnectionError(call, { reason: `lost the connection to ${call.baseUrl}: ${message}`, cause });
}

/** A 2xx that does not hold what is documented: whatever it stands for has happened. */
export function unreadable(call: CallFacts, status: number, reason: string): Failure {
  const error = new errors.UnreadableAnswerError(call, { status, reason: `the answer could not be read: ${reason}` });
  return final(call.idempotent ? error : unknownOutcome(call, error, status));
}

function final(error: errors.ServiceError): Failure {
  return { error, retry: { kind: "never" } };
}

function unknownOutcome(call: CallFacts, cause: errors.ServiceError, status?: number): errors.OutcomeUnknownError {
  return new errors.OutcomeUnknownError(call, {
    status,
    reason: cause.reason,
    advice: "It may have taken effect, so it is not retried.",
    cause,
  });
}

type NotFoundDetail = errors.FailureDetail & { fromPage: boolean; fromJson: boolean };

/** Whatever is read is documented, so where it is not found the address is wrong; and no service of this kind answers with pages. */
function notFound(call: CallFacts, detail: NotFoundDetail): errors.NotFoundError {
  return new errors.NotFoundError(call, { ...detail, advice: adviceOnMissing(call, detail) });
}

function adviceOnMissing(call: CallFacts, { fromPage }: NotFoundDetail): string | undefined {
  if (fromPage) return `A web page answered, not the service. ${adviceOnAddress(call)}`;
  if (call.operation in lists) return `${adviceOnAddress(call)} If it is, the service does not have this list.`;
  return call.method === "GET" ? adviceOnAddress(call) : undefined;
}

function adviceOnAddress({ baseUrl }: CallFacts): string {
  return `Check that ${baseUrl} is the right base URL.`;
}

function redirected(call: CallFacts, status: number): errors.UnreadableAnswerError {
  return new errors.UnreadableAnswerError(call, {
    status,
    reason: "redirects are not followed",
    advice: adviceOnAddress(call),
  });
}

function adviceToWait(afterMs: number | undefined): string | undefined {
  if (afterMs === undefined || afterMs === 0) return undefined;
  const seconds = Math.min(Math.ceil(afterMs / 1000), Number.MAX_SAFE_INTEGER);
  return `The service asks to wait ${seconds} s.`;
}
