import { z } from "zod";
import {
  createOwned,
  defineResource,
  endAndWait,
  everyMachine,
  fallbackRegions,
  type Ownership,
  phaseOf,
  requestFrom,
  type Work,
} from "../../lifecycle";
import { type ActiveBareMetalRental, createBareMetalRentalRequest, regions } from "../../service";
import { deleteInlineVolume, findInlineVolume, inlineVolumeToEnd } from "./inlineVolume";
import { bareMetalRentals, shownOf, storageOfCreated, viewOfRental } from "./record";

const inputs = z.strictObject({
  ...createBareMetalRentalRequest.shape,
  ...everyMachine,
  fallbackRegions: fallbackRegions(regions.bareMetal),
  keepVolume: z
    .boolean()
    .default(false)
    .describe("Whether a volume made with `storageVolume: {isNew: true}` outlives the rental."),
});
type Inputs = z.output<typeof inputs>;

const ownership: Ownership<Inputs, ActiveBareMetalRental> = {
  kind: bareMetalRentals,
  post: async (client, asked, call) => {
    const rental = await client.createBareMetalRental(requestFrom(createBareMetalRentalRequest, asked), call);
    // The answer has no status. One that has started already is looked up at once.
    const status = rental.startedAt ? "Running" : "Pending";
    return {
      ...viewOfRental(rental),
      status,
      phase: phaseOf(status, bareMetalRentals.statuses),
      shown: shownOf(rental),
      // Known from the start, so that a volume made along with the rental is not lost if the rental is ended elsewhere.
      outputs: { attachedStorage: storageOfCreated(rental) },
    };
  },
};

/** What it costs where one like it is already running: the service has no price list. */
async function price(work: Work<Inputs>): Promise<number | undefined> {
  const snapshot = await work.runtime.lists.of(bareMetalRentals).any();
  const { gpuType, gpuCount, region, termType } = work.inputs;
  const alike = snapshot.items.find(
    (rental) =>
      rental.gpuType === gpuType &&
      rental.region === region &&
      rental.currentTerm.termType === termType &&
      termType === "on-demand",
  );
  return alike && (alike.currentTerm.costPerHour / alike.gpuCount) * gpuCount;
}

export const bareMetalRental = defineResource<Inputs, ActiveBareMetalRental>({
  type: "BareMetalRental",
  noun: "bare-metal rental",
  inputs,
  timeouts: { create: "45m", delete: "20m" },
  labelled: true,
  inPlace: ["fallbackRegions", "keepVolume"],
  kind: bareMetalRentals,
  ownership,
  price,
  create: (work) => createOwned(work, ownership),
  async end(work, id, state) {
    const volume = await inlineVolumeToEnd(work, id, state);
    const end = { rentalType: "bare-metal", rentalId: Number(id) } as const;
    await endAndWait(
      work,
      bareMetalRentals,
      id,
      () => work.runtime.client.terminateRental(end, { deadline: work.deadline }),
      state["createdAt"],
    );
    if (volume) await deleteInlineVolume(work, volume, state);
  },
  async leavesBehind(work, id, state) {
    return state["keepVolume"] !== true && (await findInlineVolume(work, id, state)) !== undefined;
  },
});
