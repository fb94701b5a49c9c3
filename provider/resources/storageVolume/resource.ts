import { z } from "zod";
import {
  createOwned,
  defineResource,
  endAndWait,
  everyResource,
  type Ownership,
  phaseOf,
  requestFrom,
  type Work,
} from "../../lifecycle";
import { createStorageVolumeRequest, type StorageVolume } from "../../service";
import { attach, detach } from "./attachments";
import { numbers, storageVolumes, waitUntilDetached } from "./record";

const inputs = z.strictObject({
  ...createStorageVolumeRequest.shape,
  label: createStorageVolumeRequest.shape.label.optional(),
  ...everyResource,
});
type Inputs = z.output<typeof inputs>;

const ownership: Ownership<Inputs, StorageVolume> = {
  kind: storageVolumes,
  post: async (client, asked, call) => {
    const made = await client.createStorageVolume(requestFrom(createStorageVolumeRequest, asked), call);
    return {
      id: String(made.storageVolumeId),
      label: made.label,
      status: made.status,
      phase: phaseOf(made.status, storageVolumes.statuses),
      region: made.region,
      shown: {},
    };
  },
};

/** What a volume of this size costs where one in the same region is already there. */
async function price(work: Work<Inputs>): Promise<number | undefined> {
  const snapshot = await work.runtime.lists.of(storageVolumes).any();
  const alike = snapshot.items.find((volume) => volume.region === work.inputs.region);
  return alike && (alike.costPerHour / alike.sizeInGb) * work.inputs.sizeInGb;
}

export const storageVolume = defineResource<Inputs, StorageVolume>({
  type: "StorageVolume",
  noun: "storage volume",
  inputs,
  timeouts: { create: "10m", delete: "10m" },
  labelled: true,
  inPlace: ["rentalIds"],
  sets: ["rentalIds"],
  kind: storageVolumes,
  ownership,
  price,
  create: (work) => createOwned(work, ownership),
  async update(work, id, olds) {
    const before = numbers(olds["rentalIds"]);
    const after = work.inputs.rentalIds ?? [];
    await attach(
      work,
      Number(id),
      after.filter((rental) => !before.includes(rental)),
    );
    await detach(
      work,
      Number(id),
      before.filter((rental) => !after.includes(rental)),
    );
  },
  async end(work, id, state) {
    await detach(work, Number(id), numbers(state["rentalIds"]));
    await waitUntilDetached(work, id);
    await endAndWait(
      work,
      storageVolumes,
      id,
      () => work.runtime.client.deleteStorageVolume({ storageVolumeId: Number(id) }, { deadline: work.deadline }),
      state["createdAt"],
    );
  },
});
