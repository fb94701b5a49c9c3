export * from "../shared/timestamp";
