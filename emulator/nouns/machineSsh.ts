import {
  type Call,
  isPresent,
  type MarketplaceInstanceFacts,
  phaseAt,
  type RentalFacts,
  type SshMachine,
  type World,
} from "../state";

/** How a new machine will answer, as the faults of its request want it. */
export function newSsh({ faults }: Call): RentalFacts["ssh"] {
  return { port: null, delayMs: faults.sshDelayMs, ...(faults.gpuTrouble && { gpuTrouble: faults.gpuTrouble }) };
}

/** Opens the endpoint of a rental and stores its port; returns the rental with it. */
export function openRentalSsh(world: World, rental: RentalFacts): Promise<RentalFacts> {
  const find = () => world.store.rentals.get(rental.id);
  return open(world, `rental ${rental.id}`, rental, find, (record) => world.store.commit({ kind: "rental", record }));
}

/** The same for a marketplace instance. */
export function openInstanceSsh(world: World, instance: MarketplaceInstanceFacts): Promise<MarketplaceInstanceFacts> {
  const find = () => world.store.marketplaceInstances.get(instance.id);
  return open(world, `instance ${instance.id}`, instance, find, (record) =>
    world.store.commit({ kind: "marketplaceInstance", record }),
  );
}

async function open<Machine extends SshMachine>(
  world: World,
  name: string,
  machine: Machine,
  find: () => Machine | undefined,
  keep: (machine: Machine) => void,
): Promise<Machine> {
  const port = await world.ssh.open(name, find);
  // Meanwhile it may have been asked to end, or a reset may have removed it.
  const current = find();
  if (!current || port === current.ssh.port) return current ?? machine;
  const opened = { ...current, ssh: { ...current.ssh, port } };
  keep(opened);
  return opened;
}

/** Opens the endpoints of all machines from before the emulator listened, or from an earlier run. */
export async function openAllSsh(world: World): Promise<void> {
  const at = world.clock.now();
  for (const rental of world.store.rentals.values()) {
    if (isPresent(phaseAt(rental.life, at))) await openRentalSsh(world, rental);
  }
  for (const instance of world.store.marketplaceInstances.values()) {
    if (isPresent(phaseAt(instance.life, at))) await openInstanceSsh(world, instance);
  }
}
