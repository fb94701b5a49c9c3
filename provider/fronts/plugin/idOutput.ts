import type { Values } from "../../lifecycle";

/** The output in which programs find the id of a resource as others take it. The classes of our SDK derive it from the id themselves. */
const idOutputs: Readonly<Record<string, (id: string) => Values>> = {
  BareMetalRental: (id) => ({ rentalId: Number(id) }),
  VmRental: (id) => ({ rentalId: Number(id) }),
  StorageVolume: (id) => ({ storageVolumeId: Number(id) }),
  MarketplaceInstance: (id) => ({ instanceId: id }),
};

/** Nothing for an id that stands for what is not known yet (`unresolved:…`). */
export function idOutput(type: string, id: string): Values {
  const output = idOutputs[type]?.(id) ?? {};
  return id.includes(":") || Object.values(output).some(Number.isNaN) ? {} : output;
}
