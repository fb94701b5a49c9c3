import { type FailedCall, type FailureDetail, ServiceError } from "./serviceError";

/** 404: the service does not know what was asked for. */
export class NotFoundError extends ServiceError {
  /** Whether a web page said so: then a proxy may be speaking, not the service. */
  readonly fromPage: boolean;

  constructor(call: FailedCall, detail: FailureDetail & { fromPage?: boolean }) {
    super(call, detail);
    this.fromPage = detail.fromPage ?? false;
  }
}
