export * from "./commandLine";
export * from "./place";
