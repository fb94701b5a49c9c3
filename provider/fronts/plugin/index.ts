export * from "./plugin";
export * from "./process";
export * from "./schema";
