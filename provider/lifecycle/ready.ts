export * from "./waiting/ready";
