export * from "./model/unresolvedId";
