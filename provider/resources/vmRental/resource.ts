import { z } from "zod";
import {
  createOwned,
  defineResource,
  endAndWait,
  everyMachine,
  fallbackRegions,
  type Ownership,
  requestFrom,
} from "../../lifecycle";
import { createVmRentalRequest, regions, type VmRental } from "../../service";
import { viewOfVm, vmRentals } from "./record";

const inputs = z.strictObject({
  ...createVmRentalRequest.shape,
  gpuCount: createVmRentalRequest.shape.gpuCount.int().min(1),
  ...everyMachine,
  fallbackRegions: fallbackRegions(regions.virtualMachine),
});
type Inputs = z.output<typeof inputs>;

const ownership: Ownership<Inputs, VmRental> = {
  kind: vmRentals,
  post: async (client, asked, call) =>
    viewOfVm(await client.createVmRental(requestFrom(createVmRentalRequest, asked), call)),
};

export const vmRental = defineResource<Inputs, VmRental>({
  type: "VmRental",
  noun: "virtual-machine rental",
  inputs,
  timeouts: { create: "20m", delete: "20m" },
  labelled: true,
  inPlace: ["fallbackRegions"],
  sets: ["customPorts"],
  kind: vmRentals,
  ownership,
  create: (work) => createOwned(work, ownership),
  end(work, id, state) {
    const end = { rentalType: "virtual-machine", rentalId: Number(id) } as const;
    return endAndWait(
      work,
      vmRentals,
      id,
      () => work.runtime.client.terminateRental(end, { deadline: work.deadline }),
      state["createdAt"],
    );
  },
});
