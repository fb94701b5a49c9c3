export * from "../shared/unknown";
