import { ServiceError } from "./serviceError";

/** Whether the request took effect is not known, so it is never sent again: look for what it would have made. */
export class OutcomeUnknownError extends ServiceError {}
