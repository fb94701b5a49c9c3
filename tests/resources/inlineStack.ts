/** A rental with a volume of its own, and services that show it in their own ways. */
import { FakeEngine } from "../lifecycle/fakeEngine";
import { createRig, paths, type Rig } from "../lifecycle/rig";
import { changingAnswer, changingList, type Item, type Wire } from "../lifecycle/wire";

export const inline = (more: object = {}) => ({
  train: {
    type: "BareMetalRental",
    inputs: {
      networkType: "infiniband",
      gpuCount: 8,
      storageVolume: { isNew: true, label: "train-data", sizeInGb: 512 },
      ...more,
    },
  },
});
export const post = { method: "POST", path: paths.bareMetal };
export const list = { method: "GET", path: paths.bareMetal };
export const deletes = { method: "POST", path: paths.deleteVolume };

/** Ids of the volumes that bill. */
export function volumes(rig: Rig): number[] {
  const billing = rig.emulator.state().filter(({ kind, billing }) => kind === "storage-volume" && billing);
  return billing.map(({ id }) => Number(id));
}

/** The order in which the service lists attached volumes is its own: here by id. */
export const byId = changingList(paths.bareMetal, (items) =>
  items.map((item) => {
    const attached = item["attachedStorage"];
    return { ...item, attachedStorage: Array.isArray(attached) ? [...attached].sort((a, b) => a.id - b.id) : attached };
  }),
);
/** `meta` of the answer to a create is optional. */
export const withoutMeta = changingAnswer("POST", paths.bareMetal, ({ meta: _, ...rental }: Item) => rental);

/** A service that forgets to make the volume, or that had no room for it. */
export const neverMade: Wire = (transport) => (request) => {
  if (request.method !== "POST" || new URL(request.url).pathname !== paths.bareMetal) return transport(request);
  const { storageVolume: _, ...asked } = JSON.parse(request.body ?? "{}");
  return transport({ ...request, body: JSON.stringify(asked) });
};

/** Volumes as somebody has changed them meanwhile, or as the service shows them. */
export const shownAs = (change: (item: Item) => Item) => changingList(paths.volumes, (items) => items.map(change));

export function createStack() {
  const rig = createRig();
  return { rig, stack: new FakeEngine(rig), provider: (wire: Wire = withoutMeta) => rig.startProvider({}, { wire }) };
}
