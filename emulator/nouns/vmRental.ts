import type { z } from "zod";
import type { createVmRentalRequest } from "../../provider/service";
import { type Call, type RentalFacts, statusAt, type World } from "../state";
import { openRentalSsh } from "./machineSsh";
import { centsOf, perHourAt } from "./price";
import { listedRentals, newRental } from "./rental";
import { rentalRecord } from "./rentalRecord";

export async function createVmRental(world: World, call: Call, request: z.output<typeof createVmRentalRequest>) {
  const rental = newRental(world, call, "virtual-machine", request);
  world.store.commit({ kind: "rental", record: rental });
  return vmRecord(world, await openRentalSsh(world, rental), call.at);
}

export function listVmRentals(world: World, call: Call) {
  return Array.from(listedRentals(world, call, "virtual-machine"), (rental) => vmRecord(world, rental, call.asOf));
}

function vmRecord(world: World, rental: RentalFacts, at: number) {
  const { status, price } = world.dialect.vmRecord;
  return Object.assign(rentalRecord(world, rental, at), {
    ...(status ? { status: statusAt("virtual-machine", rental.life, at) } : {}),
    ...(price === "costPerHourCents" ? { costPerHourCents: centsOf(perHourAt(rental.price, at)) } : {}),
  });
}
