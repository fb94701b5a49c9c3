import type { View } from "../../../provider/lifecycle";
import { attachmentId, numbers, storageVolumes } from "../../../provider/resources";
import type { Situation } from "../../account";
import { gpufleetType, resourcesOf, type State, storageVolumeType, volumeAttachmentType } from "../../stack";
import type { Adoptable } from "./survey";

/** A volume and the rentals that it is attached to, all of them in the program. */
export interface Attachment {
  adoptId: string;
  volume: Adoptable;
  rentals: Adoptable[];
}

export interface Attachments {
  attachments: Attachment[];
  /** What stays as it is because the program has only one side of it, in words. */
  remarks: string[];
}

/** The attachments among what is adopted. */
export async function findAttachments(situation: Situation, adoptable: readonly Adoptable[]): Promise<Attachments> {
  const volumes = adoptable.filter(({ what }) => what.type === storageVolumeType);
  const rentals = adoptable.filter(({ what }) => what.type === "BareMetalRental");
  const states = [situation.state, ...(await situation.otherStacks()).stacks.map(({ state }) => state)];
  const found: Attachments = { attachments: [], remarks: [] };
  for (const volume of volumes) {
    const free = attachedTo(volume.view).filter(
      (rental) => !states.some((state) => hasPair(state, volume.view.id, rental)),
    );
    const own = rentals.filter(({ view }) => free.includes(Number(view.id)));
    if (own.length > 0) {
      const adoptId = attachmentId(
        Number(volume.view.id),
        own.map(({ view }) => Number(view.id)),
      );
      found.attachments.push({ adoptId, volume, rentals: own });
    }
    const others = attachedTo(volume.view).filter((rental) => !own.some(({ view }) => Number(view.id) === rental));
    if (others.length > 0) {
      found.remarks.push(
        `Storage volume ${volume.view.id} is also attached to ${others.join(", ")}, by what is not in this program: \`destroy\` waits until that has ended.`,
      );
    }
  }
  return { ...found, remarks: [...found.remarks, ...(await foreignVolumes(situation, volumes, rentals))] };
}

async function foreignVolumes(
  { runtime }: Situation,
  volumes: readonly Adoptable[],
  rentals: readonly Adoptable[],
): Promise<string[]> {
  if (rentals.length === 0) return [];
  const snapshot = await runtime.lists
    .of(storageVolumes)
    .latest()
    .catch(() => undefined);
  const others = snapshot
    ?.views()
    .filter(({ id, phase }) => phase !== "ended" && !volumes.some(({ view }) => view.id === id));
  return (others ?? []).flatMap((volume) => {
    const ids = rentals.map(({ view }) => view.id).filter((id) => attachedTo(volume).includes(Number(id)));
    return ids.length > 0
      ? [`Storage volume ${volume.id} is attached to ${ids.join(", ")} and not in this program: it stays attached.`]
      : [];
  });
}

function attachedTo({ outputs }: View): number[] {
  return numbers(outputs?.["attachedRentals"]);
}

/** Whether a state has the attachment of this volume to this rental. */
function hasPair(state: State, volume: string, rental: number): boolean {
  return resourcesOf(state).some(
    (resource) =>
      gpufleetType(resource) === volumeAttachmentType &&
      String(resource.outputs?.["storageVolumeId"]) === volume &&
      numbers(resource.outputs?.["rentalIds"]).includes(rental),
  );
}
