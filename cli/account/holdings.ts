import { OperationUnavailableError } from "../../provider/client";
import { type Marks, type Runtime, readLabel, type View } from "../../provider/lifecycle";
import { bareMetalRentals, marketplaceInstances, storageVolumes, vmRentals } from "../../provider/records";
import type { MarketplaceInstance } from "../../provider/service";
import { type Billable, type BillableKind, rentalTerms } from "../money";

/** Something that the account has, by the service's own lists. */
export interface Holding extends Billable {
  id: string;
  label: string | undefined;
  status: string;
  /** Whose it is, where this provider chose the label. */
  marks: Marks | undefined;
  /** Whether it is on its way out. */
  ending: boolean;
}

export interface Account {
  holdings: Holding[];
  /** Kinds that the service does not list: there may be more of them. */
  notListed: string[];
}

/** Everything of the account that has not ended. */
export async function listHoldings(runtime: Runtime): Promise<Account> {
  const notListed: string[] = [];
  const views = async <Item>(kind: Parameters<typeof runtime.lists.of<Item>>[0]) => {
    try {
      return await runtime.lists.of(kind).any();
    } catch (error) {
      if (!(error instanceof OperationUnavailableError)) throw error;
      notListed.push(kind.plural);
      return undefined;
    }
  };
  const [rentals, machines, volumes, instances] = await Promise.all([
    views(bareMetalRentals),
    views(vmRentals),
    views(storageVolumes),
    views(marketplaceInstances),
  ]);
  const holdings = [
    ...(rentals?.views() ?? []).map((view) => holdingOf("bare-metal rental", view)),
    ...(machines?.views() ?? []).map((view) => holdingOf("virtual machine", view)),
    ...(volumes?.views() ?? []).map((view) => holdingOf("storage volume", view)),
    ...(instances?.items ?? []).map((item) => instanceOf(item, runtime)),
  ];
  return {
    holdings: holdings.filter(({ phase }) => phase !== "ended").map(({ phase: _, ...rest }) => rest),
    notListed,
  };
}

type Seen = Holding & Pick<View, "phase">;

function holdingOf(kind: BillableKind, view: View): Seen {
  const { id, label, status, phase, region, createdAt, costPerHour, shown } = view;
  const marks = readLabel(label);
  const model = typeof shown["gpuType"] === "string" ? shown["gpuType"] : "unknown model";
  return {
    kind,
    id,
    label,
    marks,
    name: marks?.name || label || id,
    status,
    phase,
    ending: phase === "ending",
    region,
    createdAt,
    costPerHour,
    ...(kind === "storage volume"
      ? { sizeInGb: Number(shown["sizeInGb"]) }
      : { gpus: { model, count: Number(shown["gpuCount"] ?? 0) }, terms: rentalTerms(view.outputs?.["term"]) }),
  };
}

/** The listing of instances is documented nowhere; where it has prices, they are per GPU, as those of the machines. */
function instanceOf(item: MarketplaceInstance, { settings }: Runtime): Seen {
  const { id, status, createdAt, gpuCount = 0, gpuModel = "unknown model", nodeName, price } = item;
  const { phase } = marketplaceInstances.view(item);
  const perGpu = price !== undefined && settings.marketplacePriceUnit === "cents" ? price / 100 : price;
  return {
    kind: "marketplace instance",
    id,
    label: undefined,
    marks: undefined,
    name: id,
    status,
    phase: item.endedAt === undefined ? phase : "ended",
    ending: phase === "ending",
    createdAt,
    gpus: { model: gpuModel, count: gpuCount },
    terms: nodeName,
    costPerHour: perGpu === undefined ? undefined : perGpu * gpuCount,
  };
}
