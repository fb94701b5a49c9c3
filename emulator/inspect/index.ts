export { type ObjectState, stateOf } from "./inspection";
export { ownEndpoints } from "./ownEndpoints";
export { RequestLog } from "./requestLog";
