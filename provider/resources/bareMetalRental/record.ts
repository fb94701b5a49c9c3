import { z } from "zod";
import { type Kind, phaseOf } from "../../lifecycle";
import { type ActiveBareMetalRental, type BareMetalRental, costPerHourOf, listedStorage } from "../../service";
import { withEnd } from "../ended";
import { inputsShownBy, viewOfRental } from "../rentalRecord";
import { rentalStatuses } from "../rentalStatuses";

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
    observedInputs: { ...inputsShownBy(rental), networkType: rental.connectionType },
    outputs: {
      nodes: rental.nodes,
      term: rental.currentTerm,
      gpuFormFactor: rental.gpuFormFactor,
      attachedStorage: storageIn(rental.attachedStorage ?? rental.meta?.attached_storage),
    },
  }),
};

function storageIn(volumes: ActiveBareMetalRental["attachedStorage"]) {
  return volumes?.map((volume) => ({
    id: volume.id,
    sizeInGb: volume.size_in_gb,
    costPerHour: volume.cost_per_hour,
    vip: volume.vip,
  }));
}

const metaOfCreated = z.object({ attached_storage: z.array(listedStorage) });

/** The volumes that the answer to a create shows. It need not show any: its `meta` is unconstrained. */
export function storageOfCreated(rental: BareMetalRental) {
  return storageIn(attachedTo(rental));
}

function attachedTo({ meta }: BareMetalRental) {
  return metaOfCreated.safeParse(meta).data?.attached_storage;
}

/** The one of them that has this label. */
export function labelledStorageOfCreated(rental: BareMetalRental, asked: string) {
  const [volume, ...others] = attachedTo(rental)?.filter(({ label }) => label === asked) ?? [];
  return others.length === 0 ? volume : undefined;
}
