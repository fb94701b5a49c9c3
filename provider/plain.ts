export * from "./shared/plain";
