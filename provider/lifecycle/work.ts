export * from "./model/context";
