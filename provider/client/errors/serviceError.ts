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
  }
}
