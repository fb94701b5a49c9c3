import { type FailedCall, type FailureDetail, ServiceError } from "./serviceError";

/** 5xx on something that does no more than read, after repeats; or an error in the midst of a stream. */
export class ServerError extends ServiceError {
  /** How long the service asks to wait, in milliseconds, where it says. */
  readonly retryAfter: number | undefined;

  constructor(call: FailedCall, detail: FailureDetail & { retryAfter?: number | undefined }) {
    super(call, detail);
    this.retryAfter = detail.retryAfter;
  }
}
