/**
 * The SDK on the plugin: the same classes, arguments and outputs as in `pulumi-gpufleet`, registered with the engine as resources of
 * the plugin.
 */
export type { CallOptions, Connection } from "../connection";
export * from "../functions";
export type {
  BareMetalFleetArgs,
  BareMetalRegion,
  FleetMember,
  GpuFleetArgs,
  VmFleetArgs,
  VmRegion,
} from "../gpuFleet";
export * from "../inference";
export type { AttachedVolume, Node, SshEndpoint, Term } from "../machine";
export type { ProviderArgs } from "../provider";
export { GpuFleet } from "./gpuFleet";
export { Provider } from "./provider";
export * from "./resources";
