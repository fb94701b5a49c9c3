import type { Problem } from "../text/problems";
import { type FailedCall, ServiceError } from "./serviceError";

/** The request breaks a documented constraint. Nothing was sent. */
export class InvalidRequestError extends ServiceError {
  readonly problems: readonly Problem[];

  constructor(call: FailedCall, problems: readonly Problem[]) {
    const lines = problems.map(({ property, value, rule }) => `\n  ${property} ${value}: ${rule}`);
    super(call, { reason: `not sent, because the request is not valid:${lines.join("")}` });
    this.problems = problems;
  }
}
