import type { z } from "zod";
import type { createVmRentalRequest } from "../../provider/service";
import type { Call, RentalFacts, World } from "../state";
import { statusAt } from "../state";
import { perHourAt } from "./price";
import { listedRentals, newRental, openSsh, rentalRecord } from "./rental";

export async function createVmRental(world: World, call: Call, request: z.output<typeof createVmRentalRequest>) {
  const rental = newRental(world, call, "virtual-machine", request);
  world.store.commit({ of: "rental", is: rental });
  return vmRecord(world, await openSsh(world, rental.id), call.at);
}

export function listVmRentals(world: World, call: Call) {
  return Array.from(listedRentals(world, call, "virtual-machine"), (rental) => vmRecord(world, rental, call.asOf));
}

function vmRecord(world: World, rental: RentalFacts, at: number) {
  const { status, price } = world.dialect.vmRecord;
  return Object.assign(rentalRecord(world, rental, at), {
    ...(status ? { status: statusAt("virtual-machine", rental.life, at) } : {}),
    ...(price === "costPerHourCents" ? { costPerHourCents: Math.round(perHourAt(rental.price, at) * 100) } : {}),
  });
}
