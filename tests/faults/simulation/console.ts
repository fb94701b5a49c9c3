import type { Client } from "../../../provider/client";

/** Somebody ends it in the console of the service. Nothing happens to what is gone already, or cannot be ended. */
export async function endInConsole(client: Client, type: string, id: string): Promise<void> {
  const ends: Record<string, () => Promise<unknown>> = {
    BareMetalRental: () => client.terminateRental({ rentalType: "bare-metal", rentalId: Number(id) }),
    VmRental: () => client.terminateRental({ rentalType: "virtual-machine", rentalId: Number(id) }),
    StorageVolume: () => client.deleteStorageVolume({ storageVolumeId: Number(id) }),
    MarketplaceInstance: () => client.terminateMarketplaceInstance({ id }),
  };
  await ends[type]?.().catch(() => undefined);
}
