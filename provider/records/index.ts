export * from "../resources";
