export * from "./host";
export * from "./provider";
