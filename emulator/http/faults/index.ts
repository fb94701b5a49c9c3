export { type Edit, type PageRequest, pageOf } from "./edits";
export { type Effect, effectOf } from "./effect";
export { FaultQueue } from "./queue";
export { type FaultSpec, faultKinds, faultSpec } from "./spec";
