export * from "./end";
export * from "./gone";
export * from "./missing";
export * from "./ready";
export * from "./wait";
