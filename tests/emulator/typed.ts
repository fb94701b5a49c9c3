import { z } from "zod";
import { operations, vmRentalList } from "../../provider/service";
import { paths, type Rig } from "./rig";

/** The calls that most tests make, with their answers parsed by the table's own schemas. */
export function typed({ ok, emulator }: Rig) {
  const message = z.object({ message: z.string() });
  return {
    createBareMetal: async (fields: object = {}) =>
      operations.createBareMetalRental.response.parse(
        await ok("POST", paths.bareMetal, { networkType: "infiniband", gpuCount: 8, ...fields }),
      ),
    listBareMetal: async () => operations.listBareMetalRentals.response.parse(await ok("GET", paths.bareMetal)),
    endBareMetal: async (rentalId: number) =>
      message.parse(await ok("POST", `${paths.bareMetal}/terminate`, { rentalId })),
    createVm: async (fields: object = {}) =>
      operations.createVmRental.response.parse(await ok("POST", paths.vm, { gpuCount: 1, ...fields })),
    listVms: async () => vmRentalList.parse(await ok("GET", paths.vm)),
    endVm: async (rentalId: number) => message.parse(await ok("POST", `${paths.vm}/terminate`, { rentalId })),
    createVolume: async (fields: object = {}) =>
      operations.createStorageVolume.response.parse(
        await ok("POST", paths.volumes, { region: "us-central-1", label: "data", sizeInGb: 256, ...fields }),
      ),
    listVolumes: async () => operations.listStorageVolumes.response.parse(await ok("GET", paths.volumes)),
    listMachines: async () =>
      operations.listMarketplaceMachines.response.parse(await ok("POST", paths.market, { filters: {} })).instances,
    createInstance: async (fields: object) =>
      operations.createMarketplaceInstance.response.parse(await ok("POST", `${paths.instances}/create`, fields)),
    listInstances: async () =>
      operations.listMarketplaceInstances.response.parse(await ok("GET", paths.instances)).instances,
    balance: async () => operations.getBalance.response.parse(await ok("GET", paths.balance)).usd,
    statusOf: (id: number | string) => emulator.state().find((object) => object.id === id)?.status,
    billing: () => emulator.state().filter(({ billing }) => billing),
  };
}
