import { STATUS_CODES } from "node:http";
import type { Problem } from "./text";

/** The call that failed. */
export interface FailedCall {
  /** Name of the client method. */
  operation: string;
  method: string;
  path: string;
}

export interface FailureDetail {
  status?: number | undefined;
  /** What came back, in the service's words where it gave any. Already cleaned. */
  reason: string;
  /** What the service calls it beside its words, where that is a text. Already cleaned. */
  code?: string | undefined;
  /** What to do about it. */
  advice?: string | undefined;
  cause?: unknown;
}

/**
 * A call to the service that failed. The subclass tells what it means; the message says what was attempted and what came
 * back. No part of it holds the API key.
 */
export class ServiceError extends Error {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly status: number | undefined;
  readonly reason: string;
  /** What the service calls it beside its words, as `INSUFFICIENT_CAPACITY`. */
  readonly code: string | undefined;

  constructor(call: FailedCall, detail: FailureDetail) {
    const answered = detail.status === undefined ? "" : ` answered ${detail.status}`;
    const message = `${call.method} ${call.path}${answered}: ${detail.reason}`;
    super(
      detail.advice === undefined ? message : `${message.replace(/[.\s]+$/, "")}. ${detail.advice}`,
      detail.cause === undefined ? undefined : { cause: detail.cause },
    );
    Object.defineProperty(this, "name", { value: new.target.name });
    this.operation = call.operation;
    this.method = call.method;
    this.path = call.path;
    this.status = detail.status;
    this.reason = detail.reason;
    this.code = detail.code;
  }
}

/** The options of the client are invalid. Thrown by `createClient`. */
export class ConfigurationError extends Error {
  constructor(message: string) {
    super(message);
    Object.defineProperty(this, "name", { value: new.target.name });
  }
}

/** The request breaks a documented constraint. Nothing was sent. */
export class InvalidRequestError extends ServiceError {
  readonly problems: readonly Problem[];

  constructor(call: FailedCall, problems: readonly Problem[]) {
    const lines = problems.map(
      ({ property, value, rule, guess }) =>
        `\n  ${property} ${value}: ${rule}${guess === undefined ? "" : `. Did you mean ${guess}?`}`,
    );
    super(call, { reason: `not sent, the request is invalid:${lines.join("")}` });
    this.problems = problems;
  }
}

/** The service rejects the request: 400, and any other 4xx without a class of its own. Nothing was done. */
export class BadRequestError extends ServiceError {}

/** 401: no API key, or one that the service rejects. Nothing was done. */
export class UnauthorizedError extends ServiceError {
  constructor(call: FailedCall, detail: Omit<FailureDetail, "advice"> & KeyFacts) {
    const found = detail.keySent ? "the API key was rejected" : "no API key was sent";
    super(call, {
      ...detail,
      reason: saysNoMore(detail.reason) ? found : `${found} (${detail.reason})`,
      advice: adviceOnKey(detail),
    });
  }
}

/** What settings are called by whoever gave them, where that is not the environment or the stack's configuration. */
export interface SettingNames {
  apiKey?: string;
  baseUrl?: string;
  v1BaseUrl?: string;
}

interface KeyFacts {
  keySent: boolean;
  names?: SettingNames;
}

function adviceOnKey({ keySent, names }: KeyFacts): string {
  const lastUp = "Refresh and destroy use the configuration of the last up: after changing the key,";
  if (keySent && names?.apiKey !== undefined) return `The key is ${names.apiKey}. ${lastUp} add --run-program.`;
  const where = keySent
    ? "The key is read from GPUFLEET_API_KEY, then from gpufleet:apiKey."
    : "Set GPUFLEET_API_KEY, or run `pulumi config set --secret gpufleet:apiKey`.";
  return `${where} ${lastUp} set GPUFLEET_API_KEY or add --run-program.`;
}

/** Whether the service says of a key only what the status says already. */
function saysNoMore(reason: string): boolean {
  return reason === STATUS_CODES[401] || /^the api key (was rejected|is missing)$/i.test(reason);
}

/** 403: the key is valid but does not allow this. Nothing was done. */
export class ForbiddenError extends ServiceError {}

/** 404: the service does not know what was asked for. */
export class NotFoundError extends ServiceError {
  /** Whether a web page said so: then a proxy may be speaking, not the service. */
  readonly fromPage: boolean;
  /** Whether it came as JSON, as the service's own words do. */
  readonly fromJson: boolean;

  constructor(call: FailedCall, detail: FailureDetail & { fromPage?: boolean; fromJson?: boolean }) {
    super(call, detail);
    this.fromPage = detail.fromPage ?? false;
    this.fromJson = detail.fromJson ?? false;
  }
}

/** An answer that may ask to wait before the next request. */
abstract class RetryLaterError extends ServiceError {
  /** How long the service asks to wait, in milliseconds, where it says. */
  readonly retryAfter: number | undefined;

  constructor(call: FailedCall, detail: FailureDetail & { retryAfter?: number | undefined }) {
    super(call, detail);
    this.retryAfter = detail.retryAfter;
  }
}

/** 429 until the deadline, or with a wait that goes beyond it. Nothing was done. */
export class RateLimitedError extends RetryLaterError {}

/** 5xx on a read, after all retries; or an error in the middle of a stream. */
export class ServerError extends RetryLaterError {}

/** The service could not be reached, or the connection was lost while reading. Nothing was done. */
export class ConnectionError extends ServiceError {}

/** A limit or the deadline passed, and nothing can have been done: it was not sent, or only reads. */
export class TimeoutError extends ServiceError {}

/** The caller's signal was aborted, and nothing can have been done: it was not sent, or only reads. */
export class AbortedError extends ServiceError {}

/** The answer is not what the service documents: not JSON, a wrong type, a redirect, too many bytes. */
export class UnreadableAnswerError extends ServiceError {}

/** Whether the request took effect is unknown, so it is never retried: look for what it would have created. */
export class OutcomeUnknownError extends ServiceError {}

/** The service does not have one of the undocumented operations. Nothing was done. */
export class OperationUnavailableError extends ServiceError {
  /** `takesId` is false for a list. */
  constructor(call: FailedCall, detail: Omit<FailureDetail, "advice">, key: string, takesId = true) {
    const operation = takesId
      ? { method: "POST", path: "/v2/path/of/the/operation", idField: "id" }
      : { method: "GET", path: "/v2/path/of/the/list" };
    const id = takesId ? "; {id} in the path stands for the id" : "";
    super(call, {
      ...detail,
      advice:
        `Configure it in gpufleet:operations, for example ${JSON.stringify({ [key]: operation })}${id}. ` +
        "Destroy uses new configuration only with --run-program.",
    });
  }
}

export interface TransportErrorDetail {
  /** "no" only when the request is known not to have reached the service. */
  sent: "no" | "maybe";
  /** What ended it: the connection unless given. */
  kind?: "connection" | "timeout" | "size";
  /** Whether trying again is pointless: a certificate that is not trusted, a client that was closed. */
  permanent?: boolean;
  /** What to do about it, where the transport knows better than the client. */
  advice?: string | undefined;
}

/** What a transport rejects with: there was no answer, or not all of it. */
export class TransportError extends Error {
  readonly sent: "no" | "maybe";
  readonly kind: "connection" | "timeout" | "size";
  readonly permanent: boolean;
  readonly advice: string | undefined;

  constructor(message: string, { sent, kind = "connection", permanent = false, advice }: TransportErrorDetail) {
    super(message);
    Object.defineProperty(this, "name", { value: new.target.name });
    this.sent = sent;
    this.kind = kind;
    this.permanent = permanent;
    this.advice = advice;
  }
}
