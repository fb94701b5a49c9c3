import { ServiceError } from "./serviceError";

/** The caller's signal was aborted, and nothing can have been done: it was not sent, or does no more than read. */
export class AbortedError extends ServiceError {}
