import { ServiceError } from "./serviceError";

/** The service could not be reached, or the connection was lost while reading. Nothing was done. */
export class ConnectionError extends ServiceError {}
