import { ServiceError } from "./serviceError";

/** The service answered with something other than what it documents: no JSON, a wrong type, a redirect, too many bytes. */
export class UnreadableAnswerError extends ServiceError {}
