import { z } from "zod";
import {
  createOnce,
  defineResource,
  endAndWait,
  endOrHandOver,
  everyMachine,
  fallbackRegions,
  messageOf,
  type OperationContext,
  phaseOf,
  requestFrom,
  type Values,
  volumeKey,
} from "../../lifecycle";
import { type ActiveBareMetalRental, createBareMetalRentalRequest, regions } from "../../service";
import { showGb } from "../../shared/size";
import {
  deleteInlineVolume,
  findInlineVolume,
  inlineVolumeToEnd,
  newVolumeIn,
  rememberVolume,
  sayKept,
  sightVolume,
  volumesBefore,
} from "./inlineVolume";
import { bareMetalRentals, inputsShownBy, storageOfCreated, viewOfRental } from "./record";

const inputs = z.strictObject({
  ...createBareMetalRentalRequest.shape,
  ...everyMachine,
  fallbackRegions: fallbackRegions(regions.bareMetal),
  keepVolume: z
    .boolean()
    .default(false)
    .describe("Keep a volume that was created with `storageVolume: {isNew: true}` when the rental ends."),
});
type Inputs = z.output<typeof inputs>;

/** What it costs where one like it is already running: the service has no price list. */
async function price({ runtime, inputs }: OperationContext<Inputs>): Promise<number | undefined> {
  const snapshot = await runtime.lists.of(bareMetalRentals).latest();
  const { gpuType, gpuCount, region, termType } = inputs;
  const alike = snapshot.items.find(
    (rental) =>
      rental.gpuType === gpuType &&
      rental.region === region &&
      rental.currentTerm?.termType === termType &&
      termType === "on-demand",
  );
  if (!alike?.currentTerm?.costPerHour || !alike.gpuCount) return undefined;
  return (alike.currentTerm.costPerHour / alike.gpuCount) * gpuCount;
}

/** Whether the volume is to outlive the rental: as the program says it now, or as the state has it. */
function keepsVolume({ runtime, urn }: Pick<OperationContext, "runtime" | "urn">, state: Values): boolean {
  return runtime.memory.noted(urn, "keepVolume") ?? state["keepVolume"] === true;
}

export const bareMetalRental = defineResource<Inputs, ActiveBareMetalRental>({
  type: "BareMetalRental",
  noun: "bare-metal rental",
  inputs,
  timeouts: { create: "45m", delete: "20m" },
  inPlace: ["fallbackRegions", "keepVolume"],
  kind: bareMetalRentals,
  price,
  alsoRents(asked) {
    const volume = newVolumeIn(asked);
    return volume && { sizeInGb: volume.sizeInGb, region: asked["region"] };
  },
  async post(client, asked, call) {
    const before = await volumesBefore(client, asked, call);
    const rental = await client.createBareMetalRental(requestFrom(createBareMetalRentalRequest, asked), call);
    // The answer has no status. One that has started already is looked up at once.
    const status = rental.startedAt ? "Running" : "Pending";
    const view = {
      ...viewOfRental(rental),
      status,
      phase: phaseOf(status, bareMetalRentals.statuses),
      observedInputs: inputsShownBy(rental),
      outputs: { attachedStorage: storageOfCreated(rental) },
    };
    return newVolumeIn(asked) ? { ...view, kept: rememberVolume(view, { [volumeKey]: { before } }, asked) } : view;
  },
  // Known from the start, so that a volume made along with the rental is not lost if the rental is ended elsewhere.
  create: async (context) => sightVolume(context, await createOnce(context)),
  remember: rememberVolume,
  heed: (runtime, urn, { keepVolume }) => runtime.memory.note(urn, "keepVolume", keepVolume === true),
  contents(runtime, urn, state) {
    const volume = newVolumeIn(state);
    if (!volume || keepsVolume({ runtime, urn }, state)) return undefined;
    return {
      what: `its volume "${volume.label}" with ${showGb(volume.sizeInGb)} of data`,
      keep: "To keep the volume, set keepVolume: true",
    };
  },
  terminate: (client, id, call) => client.terminateRental({ rentalType: "bare-metal", rentalId: Number(id) }, call),
  async end(context, id, state) {
    // A volume that was made along must go after it, and nobody else knows of that volume.
    if (!newVolumeIn(state)) return endOrHandOver(context, context.definition, id, state);
    const volume = await inlineVolumeToEnd(context, id, state);
    await endAndWait(context, context.definition, id, state);
    if (volume) await deleteInlineVolume(context, volume, keepsVolume(context, state));
  },
  async leavesBehind(context, id, state) {
    if (!keepsVolume(context, state)) return (await findInlineVolume(context, id, state)) !== undefined;
    const volume = await findInlineVolume(context, id, state).catch((error: unknown) => {
      context.runtime.engine.info(context.urn, `keepVolume: ${messageOf(error)}`);
    });
    if (volume) sayKept(context, volume);
    return false;
  },
});
