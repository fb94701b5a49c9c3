export { createBareMetalRental, listBareMetalRentals } from "./bareMetalRental";
export { balanceAt, getBalance, spentUntil } from "./billing";
export { openAllSsh } from "./machineSsh";
export {
  createMarketplaceInstance,
  getMarketplaceHistory,
  instanceStatus,
  listMarketplaceInstances,
  terminateMarketplaceInstance,
} from "./marketplaceInstance";
export { listMarketplaceMachines, seededMachines } from "./marketplaceMachine";
export { costUntil, isBilling, perHourAt, roundUsd } from "./price";
export { endRental } from "./rental";
export { requestReservation } from "./reservation";
export {
  attachStorageVolume,
  createStorageVolume,
  deleteStorageVolume,
  detachStorageVolume,
  listStorageVolumes,
} from "./storageVolume";
export { createVmRental, listVmRentals } from "./vmRental";
