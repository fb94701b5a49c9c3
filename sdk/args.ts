export type BareMetalRentalArgs = object;
export type VmRentalArgs = object;
export type StorageVolumeArgs = object;
export type VolumeAttachmentArgs = object;
export type MarketplaceInstanceArgs = object;
