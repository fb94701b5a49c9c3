export * from "./machines";
export * from "./record";
export * from "./resource";
