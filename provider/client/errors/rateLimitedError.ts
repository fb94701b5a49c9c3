import { type FailedCall, type FailureDetail, ServiceError } from "./serviceError";

/** 429 until the deadline, or with a wait that goes beyond it. Nothing was done. */
export class RateLimitedError extends ServiceError {
  /** How long the service asks to wait, in milliseconds, where it says. */
  readonly retryAfter: number | undefined;

  constructor(call: FailedCall, detail: FailureDetail & { retryAfter?: number | undefined }) {
    super(call, detail);
    this.retryAfter = detail.retryAfter;
  }
}
