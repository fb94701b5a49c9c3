export { createBareMetalRental, listBareMetalRentals } from "./bareMetalRental";
export { balanceAt, getBalance, spentUntil } from "./billing";
export {
  createMarketplaceInstance,
  getMarketplaceHistory,
  instanceStatus,
  listMarketplaceInstances,
  openSsh as openInstanceSsh,
  terminateMarketplaceInstance,
} from "./marketplaceInstance";
export { listMarketplaceMachines, seededMachines } from "./marketplaceMachine";
export { costUntil, isBilling, perHourAt, roundUsd } from "./price";
export { endRental, openSsh as openRentalSsh } from "./rental";
export {
  attachStorageVolume,
  createStorageVolume,
  deleteStorageVolume,
  detachStorageVolume,
  listStorageVolumes,
} from "./storageVolume";
export { createVmRental, listVmRentals } from "./vmRental";
