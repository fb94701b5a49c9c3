import type { Kept } from "../../lifecycle/fakeEngine";
import { endInConsole } from "./console";
import { pairsOf } from "./ledger";
import type { Session } from "./session";

/** What a person does about volumes because an error says so. Whether there was anything to do. */
export async function settleVolumes(session: Session): Promise<boolean> {
  const isDetached = await detachAsAsked(session);
  return (await deleteAsAsked(session)) || isDetached;
}

/** A volume cannot be deleted because it is attached, and no resource has that attachment: a person detaches it. */
async function detachAsAsked({ ledger, output, outside, rig }: Session): Promise<boolean> {
  const { attachedPairs, entries } = ledger;
  const held = new Set(entries.flatMap(pairsOf));
  const asked = output.flatMap((text) => {
    const [, rentals = "", volume] =
      /still attached to rentals? ([\d, ]+) after .* detach volume (\d+) in the service's console/.exec(text) ?? [];
    return rentals.split(", ").map((rental) => ({ volume, rental, pair: `${volume}:${rental}` }));
  });
  const left = asked.filter(({ pair }) => attachedPairs.has(pair) && !held.has(pair) && !outside.attached.has(pair));
  for (const { volume, rental } of left) {
    const request = { storageVolumeId: Number(volume), rentalIds: [Number(rental)] };
    await rig.run(rig.client.detachStorageVolume(request).catch(() => undefined));
  }
  return left.length > 0;
}

/**
 * A rental has ended, and an error asks which volume was created with it, if any: a person knows, deletes that one, sees it go, and
 * removes the resource from the state.
 */
async function deleteAsAsked(session: Session): Promise<boolean> {
  const asked = session.output.flatMap((text) => {
    const [, name, rental] =
      /"([^"]+)": .*storage volumes? .* with (?:rental (\d+)|this rental) is not known/.exec(text) ?? [];
    return name === undefined ? [] : [{ name, rental }];
  });
  const isAsked = ({ type, name, id }: Kept) =>
    type === "BareMetalRental" &&
    asked.some((one) => (one.rental ? one.rental === id : one.name === name && id.startsWith("unresolved:")));
  const { ledger, rig, stack } = session;
  const { condemned, state } = stack;
  const held = [...condemned, ...state.values()].filter(isAsked);
  for (const kept of held) {
    for (const volume of ledger.volumesOf(kept)) await rig.run(endInConsole(rig.client, "StorageVolume", volume.id));
    if (condemned.includes(kept)) condemned.splice(condemned.indexOf(kept), 1);
    else state.delete(kept.name);
  }
  if (held.length > 0) await session.wait(60);
  return held.length > 0;
}
