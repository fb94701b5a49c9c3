export * from "../shared/spelling";
