import { balanceAt, costUntil, instanceStatus, isBilling, perHourAt, roundUsd, spentUntil } from "../nouns";
import { type Kind, type Life, type PriceFacts, phaseAt, statusAt, type World } from "../state";
import { formatTimestamp } from "../timestamp";

/** An object ever made, as `/_emulator/state` shows it. */
export interface ObjectState {
  kind: Kind;
  id: number | string;
  label: string | null;
  status: string;
  /** From the create until it has ended. */
  billing: boolean;
  createdAt: string;
}

/** The same for every kind. */
interface Described extends Omit<ObjectState, "billing" | "createdAt"> {
  life: Life;
  price: PriceFacts;
  region: string;
  /** What it is, for people. */
  what: string;
}

function* everything(world: World, at: number): Generator<Described> {
  const { store } = world;
  for (const rental of store.rentals.values()) {
    const { id, kind, label, region, life, price } = rental;
    const what = `${rental.gpuCount}×${rental.gpuType}`;
    yield { kind, id, label, region, life, price, what, status: statusAt(kind, life, at) };
  }
  for (const { id, label, region, life, price, sizeInGb } of store.storageVolumes.values()) {
    const status = phaseAt(life, at) === "ended" ? "deleted" : statusAt("storage-volume", life, at);
    yield { kind: "storage-volume", id, label, region, life, price, what: `${sizeInGb} GB`, status };
  }
  for (const instance of store.marketplaceInstances.values()) {
    const { id, life, price, clusterName } = instance;
    const what = `${instance.gpuCount}×${instance.gpuModel}`;
    const status = instanceStatus(world, instance, at);
    yield { kind: "marketplace-instance", id, label: null, region: clusterName, life, price, what, status };
  }
}

export function stateOf(world: World): ObjectState[] {
  const at = world.clock.now();
  return Array.from(everything(world, at), ({ kind, id, label, status, life }) => ({
    kind,
    id,
    label,
    status,
    billing: isBilling(life, at),
    createdAt: formatTimestamp(life.createdAt),
  }));
}

const mostRows = 500;

/** What the page for people shows: everything that costs something right now, the dearest first. */
export function overviewOf(world: World) {
  const at = world.clock.now();
  const billing = [...everything(world, at)].filter(({ life }) => isBilling(life, at));
  const rows = billing.map(({ kind, id, label, status, region, what, life, price }) => ({
    kind,
    id,
    label,
    status,
    region,
    what,
    costPerHour: perHourAt(price, at),
    costSoFar: roundUsd(costUntil(price, life, at)),
    createdAt: formatTimestamp(life.createdAt),
  }));
  rows.sort((a, b) => b.costPerHour - a.costPerHour || a.createdAt.localeCompare(b.createdAt));
  return {
    now: formatTimestamp(at),
    balance: roundUsd(balanceAt(world, at)),
    spent: roundUsd(spentUntil(world, at)),
    costPerHour: roundUsd(rows.reduce((sum, { costPerHour }) => sum + costPerHour, 0)),
    total: rows.length,
    rows: rows.slice(0, mostRows),
  };
}
