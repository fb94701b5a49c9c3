import { z } from "zod";
import { type BareMetalRental, listedStorage } from "../../service";
import { storageIn } from "../bareMetalRecord";

export { bareMetalRentals } from "../bareMetalRecord";

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
