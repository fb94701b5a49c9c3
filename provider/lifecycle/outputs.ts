export * from "./model/state";
