export type { CallOptions, Connection } from "./connection";
export * from "./functions";
export * from "./gpuFleet";
export * from "./inference";
export type { AttachedVolume, Node, SshEndpoint, Term } from "./machine";
export { Provider, type ProviderArgs } from "./provider";
export * from "./resources";
export { type TotalCost, totalCost } from "./totalCost";
