export * from "./creation/unresolved";
