import { ServiceError } from "./serviceError";

/** A limit or the deadline passed, and nothing can have been done: it was not sent, or does no more than read. */
export class TimeoutError extends ServiceError {}
