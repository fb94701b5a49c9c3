import { OperationUnavailableError } from "../../provider/client";
import { isLive, type Rented, type Runtime, type View } from "../../provider/lifecycle";
import { marketplaceInstances } from "../../provider/resources";
import { type Marks, readLabel } from "../../provider/shared/label";
import { type Billable, billablesOf } from "../money";
import { marketplaceInstanceType, type Properties, rentedTypes } from "../stack";
import { statusLine } from "../terminal";

/** Something that the account has, as the service lists it. */
export interface Holding extends Billable {
  id: string;
  label: string | undefined;
  status: string;
  /** The stack and the resource that created it, where its label tells. */
  marks: Marks | undefined;
  /** Whether nobody is terminating it. */
  isLive: boolean;
}

export interface Account {
  holdings: Holding[];
  /** "virtual-machine rentals": what the service does not list. There may be more of them. */
  notListed: string[];
}

/** Everything of the account that has not ended. */
export async function listHoldings(runtime: Runtime): Promise<Account> {
  const notListed: string[] = [];
  const holdings = await Promise.all(
    rentedTypes().map(async ({ type, rented }) => {
      const views = await viewsOf(runtime, rented);
      if (!views) notListed.push(rented.kind.plural);
      const properties = type === marketplaceInstanceType && views ? await instanceProperties(runtime) : undefined;
      return (views ?? []).flatMap((view) => holdingsOf(type, view, properties?.get(view.id)));
    }),
  );
  return { holdings: holdings.flat(), notListed };
}

async function viewsOf(runtime: Runtime, { kind }: Rented): Promise<View[] | undefined> {
  try {
    const list = runtime.lists.of(kind);
    return (await statusLine.during(`Listing ${kind.plural}…`, () => list.any())).views();
  } catch (error) {
    if (error instanceof OperationUnavailableError) return undefined;
    throw error;
  }
}

function holdingsOf(type: string, view: View, more: Properties = {}): Holding[] {
  const { id, label, status, region, createdAt, costPerHour, shown } = view;
  if (view.phase === "ended" || more["endedAt"] !== undefined) return [];
  const marks = readLabel(label);
  const term = view.outputs?.["term"];
  const properties = { ...asProperties(term), ...shown, region, createdAt, costPerHour, ...more };
  return billablesOf(type, marks?.name || label || id, properties).map((billable) => ({
    ...billable,
    id,
    label,
    status,
    marks,
    isLive: isLive(view),
  }));
}

/** The list of instances is not documented; where it has prices, they are per GPU, like those of the machines. */
async function instanceProperties(runtime: Runtime): Promise<Map<string, Properties>> {
  const { items } = await runtime.lists.of(marketplaceInstances).any();
  return new Map(
    items.map(({ id, gpuCount, gpuModel, price, endedAt }) => {
      const perGpu = price !== undefined && runtime.settings.marketplacePriceUnit === "cents" ? price / 100 : price;
      const costPerHour = perGpu === undefined ? undefined : perGpu * (gpuCount ?? 0);
      return [id, { costPerHour, endedAt, machine: gpuModel === undefined ? undefined : { gpuModel } }];
    }),
  );
}

function asProperties(value: unknown): Properties {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
