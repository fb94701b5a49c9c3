export * from "./end";
export * from "./missing";
export * from "./ready";
export * from "./wait";
