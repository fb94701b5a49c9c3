import { z } from "zod";
import { defineResource, everyMachine, fallbackRegions, ifUnavailable, requestFrom } from "../../lifecycle";
import { createVmRentalRequest, regions, type VmRental } from "../../service";
import { priceOfLike } from "../rentalPrice";
import { viewOfVm, vmRentals } from "./record";

const inputs = z.strictObject({
  ...createVmRentalRequest.shape,
  gpuCount: createVmRentalRequest.shape.gpuCount.int().min(1),
  ...everyMachine,
  fallbackRegions: fallbackRegions(regions.virtualMachine),
});
type Inputs = z.output<typeof inputs>;

export const vmRental = defineResource<Inputs, VmRental>({
  type: "VmRental",
  noun: "virtual-machine rental",
  inputs,
  timeouts: { create: "20m", delete: "20m" },
  inPlace: ["fallbackRegions"],
  sets: ["customPorts"],
  kind: vmRentals,
  price: async ({ runtime, inputs }) =>
    priceOfLike((await runtime.lists.of(vmRentals).latest().catch(ifUnavailable))?.liveItems ?? [], inputs),
  post: async (client, asked, call) =>
    viewOfVm(await client.createVmRental(requestFrom(createVmRentalRequest, asked), call), client.serviceNow()),
  terminate: (client, id, call) =>
    client.terminateRental({ rentalType: "virtual-machine", rentalId: Number(id) }, call),
});
