import { z } from "zod";
import type { Values } from "../lifecycle";
import { connectionTo, sshConfigFor } from "../shared/sshHosts";
import { nameOf } from "../shared/urn";

/** The output in which programs find the id of a resource as others take it. */
const idOutputs: Readonly<Record<string, (id: string) => Values>> = {
  BareMetalRental: (id) => ({ rentalId: Number(id) }),
  VmRental: (id) => ({ rentalId: Number(id) }),
  StorageVolume: (id) => ({ storageVolumeId: Number(id) }),
  MarketplaceInstance: (id) => ({ instanceId: id }),
};

const addresses = z.array(z.object({ host: z.string(), port: z.number(), user: z.string() }));

/**
 * What follows from other outputs. The classes of our SDK derive it themselves; programs in other languages find it in what
 * the plugin writes. Nothing for an id that stands for what is not known yet (`unresolved:…`).
 */
export function derivedOutputs(
  type: string,
  { id, urn, outputs }: { id: string; urn: string; outputs: Values },
): Values {
  const own = idOutputs[type]?.(id) ?? {};
  if (id.includes(":") || Object.values(own).some(Number.isNaN)) return {};
  const { data: ssh } = addresses.safeParse(outputs["ssh"]);
  if (!ssh) return own;
  const machine = { type, name: nameOf(urn), id, ssh };
  return { ...own, sshConfig: sshConfigFor(machine), connection: connectionTo(machine) };
}
