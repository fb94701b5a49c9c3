import { z } from "zod";
import {
  asInProgram,
  defineResource,
  endAndWait,
  endOrHandOver,
  everyMachine,
  fallbackRegions,
  type OperationContext,
  phaseOf,
  requestFrom,
  sayWhatIsLost,
  type Values,
} from "../../lifecycle";
import { type ActiveBareMetalRental, createBareMetalRentalRequest, regions } from "../../service";
import { showGb } from "../../shared/size";
import { priceOfLike } from "../rentalPrice";
import { inputsShownBy, viewOfRental } from "../rentalRecord";
import { mentionOfVolume, priceOfVolume, storageVolume } from "../storageVolume";
import { sayLeftBehind, takeVolumeAlong } from "./inlineAdopt";
import { createWithVolume, rememberVolume } from "./inlineCreate";
import {
  endVolume,
  findVolumeAfter,
  findVolumeToEnd,
  refuseCandidates,
  sayKept,
  sayNext,
  sayTwinVolumes,
  soughtToEnd,
} from "./inlineEnd";
import { keeping, keptVolume, newVolumeIn, soughtBy } from "./inlineVolume";
import { heedKeepVolume, keepsVolume, recallKeepVolume } from "./keepVolume";
import { heedNamedVolume, isNamedInProgram, namedVolumeIn } from "./namedVolume";
import { bareMetalRentals, labelledStorageOfCreated, storageOfCreated } from "./record";

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

/** Whether the volume stays when this rental is ended. What a create that is undone has made along holds nothing yet. */
function keepsInEnd(context: OperationContext, id: string, state: Values): boolean {
  const isOwnCreate = context.isUndoing && context.runtime.memory.takenOverBy(context.type, id) === undefined;
  return !isOwnCreate && keepsVolume(asInProgram(context, id), state);
}

export const bareMetalRental = defineResource<Inputs, ActiveBareMetalRental>({
  type: "BareMetalRental",
  noun: "bare-metal rental",
  inputs,
  timeouts: { create: "45m", delete: "20m" },
  inPlace: ["fallbackRegions", "keepVolume"],
  kind: bareMetalRentals,
  price: async ({ runtime, inputs }) =>
    priceOfLike((await runtime.lists.of(bareMetalRentals).latest()).liveItems, inputs),
  mentions(asked) {
    const id = namedVolumeIn(asked);
    return id === undefined ? [] : [mentionOfVolume(id)];
  },
  alsoRents(asked) {
    const volume = newVolumeIn(asked);
    return volume && { sizeInGb: volume.sizeInGb, region: asked["region"] };
  },
  priceBesides: priceOfVolume,
  async post(client, asked, call) {
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
    const volume = newVolumeIn(asked);
    const shown = volume && labelledStorageOfCreated(rental, volume.label);
    if (!shown) return view;
    return { ...view, kept: keeping({ before: [], id: String(shown.id), sizeInGb: shown.size_in_gb }) };
  },
  create: createWithVolume,
  takeAlong: takeVolumeAlong,
  remember: rememberVolume,
  heed(runtime, urn, said) {
    heedKeepVolume(runtime, urn, said);
    heedNamedVolume(runtime, urn, said);
  },
  recall: recallKeepVolume,
  contents(runtime, urn, state) {
    const volume = newVolumeIn(state);
    if (!volume || keepsVolume({ runtime, urn }, state)) return undefined;
    if (isNamedInProgram(runtime, keptVolume(state)?.id ?? "")) return undefined;
    return {
      // Without its label, which may be a secret.
      what: `its storage volume with ${showGb(volume.sizeInGb)} of data`,
      keep: "To keep the volume, set keepVolume: true",
    };
  },
  besides(state) {
    const { id, created, costPerHour } = keptVolume(state) ?? {};
    const { type, definition } = storageVolume;
    return id === undefined ? undefined : { type, noun: definition.noun, id, created, costPerHour };
  },
  terminate: (client, id, call) => client.terminateRental({ rentalType: "bare-metal", rentalId: Number(id) }, call),
  async end(context, id, state) {
    const sought = soughtToEnd(context, id, state);
    if (!sought) return endOrHandOver(context, context.definition, id, state);
    // A volume that was made along must go after it, and nobody else knows of that volume.
    const keeps = keepsInEnd(context, id, state);
    const seen = await findVolumeToEnd(context, sought, keeps).catch(() => "unseen" as const);
    // Of a twin no state will tell that its volume is still to go.
    if (context.isTwin && typeof seen === "object" && !keeps) sayNext(context, sought, seen);
    await endAndWait(context, context.definition, id, state);
    const volume = seen === "unseen" ? await findVolumeAfter(context, sought, keeps) : seen;
    // Where its rental had ended before, nobody has been told.
    if (typeof volume === "object" && !keeps && !context.isTwin && context.endsForGood)
      sayWhatIsLost(context, id, state);
    await endVolume(context, sought, volume, keeps);
    // What seems to be another's may be that of the rental whose twin this is.
    if (!context.isTwin) await sayTwinVolumes(context, sought, volume, keeps);
  },
  sayLeftBehind,
  async leavesBehind(context, id, state) {
    const sought = soughtBy(id, state);
    if (!sought) return false;
    await recallKeepVolume(context, id);
    const keeps = keepsVolume(asInProgram(context, id), state);
    const volume = await findVolumeAfter(context, sought, keeps);
    if (volume === undefined) {
      await sayTwinVolumes(context, sought, volume, keeps);
      return false;
    }
    if (keeps) {
      await sayKept(context, sought, volume);
      return false;
    }
    if (volume === "unproven") await refuseCandidates(context, sought);
    return volume !== "unproven";
  },
});
