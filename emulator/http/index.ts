export { FaultQueue, type FaultSpec, faultKinds, faultSpec } from "./faults";
export { Gateway } from "./gateway";
export { type InjectAnswer, type InjectRequest, inject } from "./inject";
export { type Address, Listener } from "./listener";
export { routesOf } from "./routes";
export { createService, type ServiceApp } from "./service";
export { parse, readJson } from "./validation";
