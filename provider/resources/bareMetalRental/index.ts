export * from "./record";
export * from "./resource";
