export * from "../shared/duration";
