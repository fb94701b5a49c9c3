export * from "./end";
export * from "./endWatch";
export * from "./gone";
export * from "./gpus";
export * from "./handOver";
export * from "./missing";
export * from "./ready";
export * from "./wait";
