import { type Kind, type Mention, phaseOf } from "../lifecycle";
import { type ActiveBareMetalRental, costPerHourOf } from "../service";
import { withEnd } from "./ended";
import { inputsShownBy, viewOfRental } from "./rentalRecord";
import { rentalStatuses } from "./rentalStatuses";

/** Bare-metal rentals as the service lists them. */
export const bareMetalRentals: Kind<ActiveBareMetalRental> = {
  plural: "bare-metal rentals",
  base: "v2",
  statuses: rentalStatuses,
  fetch: (client, call) => client.listBareMetalRentals(call),
  idOf: (rental) => String(rental.id),
  labelOf: (rental) => rental.label,
  view: (rental, now) => ({
    ...viewOfRental(rental),
    ...withEnd(
      { status: rental.status, phase: phaseOf(rental.status, rentalStatuses) },
      now,
      rental.deletedAt,
      rental.terminatedAt,
    ),
    costPerHour: costPerHourOf(rental),
    observedInputs: inputsShownBy(rental, rental.connectionType),
    outputs: {
      nodes: rental.nodes,
      term: rental.currentTerm,
      gpuFormFactor: rental.gpuFormFactor,
      attachedStorage: storageIn(rental.attachedStorage ?? rental.meta?.attached_storage),
    },
  }),
};

/** The attached volumes of a record. */
export function storageIn(volumes: ActiveBareMetalRental["attachedStorage"]) {
  return volumes?.map((volume) => ({
    id: volume.id,
    sizeInGb: volume.size_in_gb,
    costPerHour: volume.cost_per_hour,
    vip: volume.vip,
  }));
}

/** A rental that something names by its id. */
export function mentionOfRental(id: string | number): Mention {
  return { type: "BareMetalRental", kind: bareMetalRentals, noun: "bare-metal rental", id: String(id) };
}
