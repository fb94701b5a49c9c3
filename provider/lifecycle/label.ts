export * from "../shared/label";
export * from "../shared/urn";
