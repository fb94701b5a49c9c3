import { begin, type Fact, type Life, phaseAt, type World } from "../state";

type Kind = "bare-metal" | "virtual-machine" | "storage-volume" | "marketplace-instance";

/** Gives the id of something that has ended to a new one. What was attached to the former, or it to, is not attached to this one. */
export function reuseId(world: World, kind: Kind, id: number | string, label: string): void {
  const { store, clock } = world;
  const at = clock.now();
  const life = begin(at, 0, false);
  const number = Number(id);
  const undone = (of: { volumeId: number } | { rentalId: number }) =>
    store.openAttachments(of).map((record): Fact => ({ kind: "attachment", record: { ...record, until: at } }));
  if (kind === "storage-volume") {
    const volume = ended(store.storageVolumes.get(number), at, kind, id);
    store.commit(...undone({ volumeId: number }), { kind: "storageVolume", record: { ...volume, label, life } });
  } else if (kind === "marketplace-instance") {
    const instance = ended(store.marketplaceInstances.get(String(id)), at, kind, id);
    store.commit({ kind: "marketplaceInstance", record: { ...instance, life } });
  } else {
    const rental = ended(store.rentals.get(number), at, kind, id);
    store.commit(...undone({ rentalId: number }), { kind: "rental", record: { ...rental, label, life } });
  }
}

function ended<One extends { life: Life }>(one: One | undefined, at: number, kind: Kind, id: number | string): One {
  if (!one || phaseAt(one.life, at) !== "ended") throw new Error(`${kind} ${id} has not ended, so its id is not free`);
  return one;
}
