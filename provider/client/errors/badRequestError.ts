import { ServiceError } from "./serviceError";

/** The service refuses the request as it is: 400, and any other 4xx without a class of its own. Nothing was done. */
export class BadRequestError extends ServiceError {}
