/**
 * The thing exists, but is not as it should be. Its id and what is known of it go into the state along with the error, so
 * that the next run goes on from there and destroy ends it.
 */
export class PartialStateError extends Error {
  override readonly name = "PartialStateError";

  constructor(
    message: string,
    readonly id: string,
    readonly outputs: Record<string, unknown>,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Refused before anything was spent. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
}

/** The service answered a request to end something with 2xx, and said in its body that it does not. */
export class EndRefusedError extends Error {
  override readonly name = "EndRefusedError";
}

/** The engine that asked for this is gone: whatever is made now would be in no state. */
export class EngineGoneError extends Error {
  override readonly name = "EngineGoneError";

  constructor() {
    super("the Pulumi engine has ended; no further requests are sent");
  }
}

/** It did not happen within the time that was given. */
export class WaitTimeoutError extends Error {
  override readonly name = "WaitTimeoutError";
}

/** While waiting, the service said that it will not happen. */
export class WaitFailedError extends Error {
  override readonly name = "WaitFailedError";
}

/** The record is in the list, and cannot be read. */
export class UnreadableRecordError extends Error {
  override readonly name = "UnreadableRecordError";

  constructor(plural: string, id: string, reason: string) {
    super(`the service lists ${id} among its ${plural}, but its record cannot be read: ${reason}`);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
