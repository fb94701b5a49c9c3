import { z } from "zod";
import { hostsOf, type SshHost, type SshMachine } from "../../provider/shared/sshHosts";
import { nameOf } from "../../provider/shared/urn";
import { definitionOf, fleetReadyType, gpufleetType, resourcesOf, type State, type StateResource } from "../stack";

/** A machine of a stack, as far as ssh goes. */
export interface Machine extends SshMachine {
  label: string | undefined;
  /** One per node; empty where the state has no address. */
  hosts: SshHost[];
}

const addresses = z.array(z.object({ host: z.string(), port: z.number(), user: z.string() }));
const facts = z.array(z.looseObject({ id: z.string(), ssh: addresses.optional().catch(undefined) }));

/** All machines that the state holds, those of fleets included. What is only waiting to be deleted is left out. */
export function machinesIn(state: State): Machine[] {
  const resources = resourcesOf(state).filter((resource) => !resource.delete);
  const seenByGates = addressesInGates(resources);
  const names = new Set<string>();
  return resources.flatMap((resource) => {
    const type = gpufleetType(resource);
    const { id = "", outputs = {}, urn } = resource;
    if (type === undefined || !isMachine(type)) return [];
    // Members of a fleet do not wait until they are ready: their gate knows the address first.
    const ssh = addresses.safeParse(outputs["ssh"]).data ?? seenByGates.get(id);
    const name = names.has(nameOf(urn)) ? `${nameOf(urn)}-${id}` : nameOf(urn);
    names.add(name);
    const { label } = outputs;
    const machine = { name, type, id, ssh };
    return [{ ...machine, label: typeof label === "string" ? label : undefined, hosts: hostsOf(machine) }];
  });
}

/** What can be waited for until ssh answers. */
function isMachine(type: string): boolean {
  return "waitForSsh" in (definitionOf(type)?.inputs.shape ?? {});
}

function addressesInGates(resources: readonly StateResource[]): Map<string, z.infer<typeof addresses>> {
  const members = resources
    .filter((resource) => gpufleetType(resource) === fleetReadyType)
    .flatMap(({ outputs }) => facts.safeParse(outputs?.["members"]).data ?? []);
  return new Map(members.flatMap(({ id, ssh }) => (ssh ? [[id, ssh] as const] : [])));
}
