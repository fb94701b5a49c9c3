export { Exchanges } from "./exchange";
export { type FaultSpec, Faults, faultSpec } from "./faults";
export { type InjectAnswer, type InjectRequest, inject } from "./inject";
export { type Address, Listener } from "./listener";
export { createService, type ServiceApp } from "./service";
export { parse, readJson } from "./validation";
