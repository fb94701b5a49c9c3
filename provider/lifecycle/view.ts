export * from "./model/view";
