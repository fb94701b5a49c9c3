export { InitFailed } from "./calls";
export * from "./plugin";
export * from "./process";
export { ResourceCalls } from "./resourceCalls";
export * from "./schema";
