import type { Orphan } from "../../account";
import { showRate, sizeOf } from "../../money";

/** What is said of the volumes that stay when a machine is deleted: before it, or after it. No command that deletes one is written out. */
export function volumesLeft(orphan: Orphan, own: readonly Orphan[], isDeleted: boolean): string[] {
  return orphan.volumes.map((volume) => {
    const where = isDeleted
      ? `was attached to ${orphan.id}. It is in no state, and keeps billing.`
      : `is attached to ${orphan.id} and in no state: it stays, and keeps billing, when ${orphan.id} is deleted.`;
    const isOwn = own.some(({ type, id }) => type === volume.type && id === volume.id);
    const deletion = isOwn
      ? "--delete with --allow-data-loss deletes it with its contents."
      : "Otherwise delete it, with its contents, in the service's console.";
    return `${describeVolume(volume)} ${where} To keep it, set adoptId: ${volume.id} on a StorageVolume. ${deletion}`;
  });
}

function describeVolume(volume: Orphan): string {
  const price = showRate(volume) ?? "price unknown";
  const label = volume.label ? ` "${volume.label}"` : "";
  return `Storage volume ${volume.id}${label} (${sizeOf(volume)}, ${price})`;
}
