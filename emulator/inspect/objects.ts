import { instanceStatus, isBilling, perHourAt } from "../nouns";
import { type Kind, type Life, type PriceFacts, phaseAt, statusAt, type World } from "../state";
import { formatTimestamp } from "../timestamp";

/** An object in the answer of `/_emulator/state`, ended or not. */
export interface ObjectState {
  kind: Kind;
  id: number | string;
  label: string | null;
  status: string;
  /** True from the create until it has ended. */
  billing: boolean;
  /** Null where the records of the service do not show its price. */
  costPerHour: number | null;
  createdAt: string;
  /** Whose it is, where there are several accounts. */
  account?: string;
}

/** What is known of an object, the same for every kind. */
export interface Described extends Omit<ObjectState, "billing" | "costPerHour" | "createdAt" | "account"> {
  account: string;
  life: Life;
  price: PriceFacts;
  region: string;
  /** What it is, for people. */
  what: string;
  /** Where a machine answers; null for what is no machine. */
  ssh: { host: string; port: number; user: string } | null;
  /** Whether the records of the service show its price. */
  showsPrice: boolean;
}

export function* objectsOf(world: World, at: number): Generator<Described> {
  const { store } = world;
  for (const rental of store.rentals.values()) {
    const { id, account, kind, label, region, life, price } = rental;
    const what = `${rental.gpuCount}×${rental.gpuType}`;
    const showsPrice = kind === "bare-metal" || world.dialect.vmRecord.price !== "none";
    const ssh = world.ssh.endpoint(id, rental);
    yield { kind, id, account, label, region, life, price, what, ssh, showsPrice, status: statusAt(kind, life, at) };
  }
  for (const { id, account, label, region, life, price, sizeInGb } of store.storageVolumes.values()) {
    const status = phaseAt(life, at) === "ended" ? "deleted" : statusAt("storage-volume", life, at);
    const more = { what: `${sizeInGb} GB`, ssh: null, showsPrice: true };
    yield { kind: "storage-volume", id, account, label, region, life, price, status, ...more };
  }
  for (const instance of store.marketplaceInstances.values()) {
    const { id, account, life, price, clusterName } = instance;
    const what = `${instance.gpuCount}×${instance.gpuModel}`;
    const status = instanceStatus(world, instance, at);
    const more = { what, ssh: world.ssh.endpoint(id, instance), showsPrice: true };
    yield { kind: "marketplace-instance", id, account, label: null, region: clusterName, life, price, status, ...more };
  }
}

export function stateOf(world: World): ObjectState[] {
  const at = world.clock.now();
  const isShared = new Set(world.settings.accounts.values()).size > 1;
  return Array.from(objectsOf(world, at), ({ kind, id, account, label, status, life, price, showsPrice }) => ({
    kind,
    id,
    label,
    status,
    billing: isBilling(life, at),
    costPerHour: showsPrice ? perHourAt(price, at) : null,
    createdAt: formatTimestamp(life.createdAt),
    ...(isShared ? { account } : {}),
  }));
}
