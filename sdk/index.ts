export * from "./bareMetalRental";
export * from "./gpuFleet";
export type { AttachedVolume, Node, SshEndpoint, Term } from "./machine";
export * from "./marketplaceInstance";
export * from "./storageVolume";
export * from "./vmRental";
export * from "./volumeAttachment";
