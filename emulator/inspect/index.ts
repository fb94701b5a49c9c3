export { type ObjectState, stateOf } from "./objects";
export { ownEndpoints } from "./ownEndpoints";
export { RequestLog } from "./requestLog";
