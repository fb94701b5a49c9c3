import { ServiceError } from "./serviceError";

/** 403: the key is good and does not allow this. Nothing was done. */
export class ForbiddenError extends ServiceError {}
