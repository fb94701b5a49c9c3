import { OperationUnavailableError, ServiceError } from "../../client";
import { messageOf } from "../../shared/messageOf";

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

/** No list has shown it yet, and it is so fresh that none may: that none does proves nothing. */
export class NotYetListedError extends RefusedError {}

/** The service answered a request to end something with 2xx, and said in its body that it does not. */
export class EndRefusedError extends Error {
  override readonly name = "EndRefusedError";
}

/** Whoever asked for this does not want it any more, or is no more: nothing further is sent. */
export class InterruptedError extends Error {
  override readonly name: string = "InterruptedError";
}

/** The engine that asked for this is gone, or may be: whatever is made now could be in no state. */
export class EngineGoneError extends InterruptedError {
  override readonly name = "EngineGoneError";

  constructor(engine: "silent" | "gone") {
    super(`the Pulumi engine ${engine === "gone" ? "has ended" : "does not answer"}; no further requests are sent`);
  }
}

/** It did not happen within the time that was given. */
export class WaitTimeoutError extends Error {
  override readonly name = "WaitTimeoutError";
}

/** It is in no list, and yet may be what a list has and nobody can read. */
export class UnprovenAbsenceError extends WaitTimeoutError {
  constructor(readonly why: string) {
    super(`it is ${why}. If the service's console shows that it is gone, run this again with GPUFLEET_CONFIRM_GONE=1.`);
  }
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

/** Does something to one of several: where that fails, the error says to which. What a person has to do is said as it is. */
export async function sayingOf<Result>(what: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    const isPlain =
      error instanceof ServiceError || error instanceof WaitTimeoutError || error instanceof WaitFailedError;
    if (!isPlain || error instanceof OperationUnavailableError) throw error;
    throw new Error(`${what}: ${messageOf(error)}`, { cause: error });
  }
}
