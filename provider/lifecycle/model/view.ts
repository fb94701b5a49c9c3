import { roundUsd, showPerHour } from "../../shared/money";
import { type Prices, priceIn, storagePrice } from "../../shared/prices";
import { isPlainAddress, type SshAddress } from "../../shared/sshHosts";

/** How far along a thing is, whatever words its kind has for it. */
export type Phase = "pending" | "ready" | "failed" | "ending" | "ended" | "unrecognized";

export type SshEndpoint = SshAddress;

/** A record of the service as the lifecycle sees it, the same for every kind. */
export interface View {
  id: string;
  /** Everything that its record calls it, where that may be more than its id: a state may hold it under any of them. */
  names?: readonly string[] | undefined;
  /** Whether it has its id where records of its kind have theirs; undefined where nothing else may stand for it. */
  hasOwnId?: boolean | undefined;
  /** The id of its record, where requests may take another: it may be that of another one in a request. */
  recordId?: string | undefined;
  label?: string | undefined;
  /** As the service says it. */
  status: string;
  phase: Phase;
  /** Whether it has no status, and an end of which nobody can tell whether it has come: an answer to a request to end it tells. */
  hasUnclearEnd?: boolean | undefined;
  region?: string | undefined;
  costPerHour?: number | undefined;
  /** Whether that is the price of the user's own book, because the service shows none. */
  isEstimate?: boolean | undefined;
  createdAt?: string | undefined;
  /** When the request that made it had its outcome, by the service's clock, where this operation has sent it. */
  madeAt?: string | undefined;
  /** The same as `createdAt` where a list has shown it: not as an answer to a create has it, nor by our own clock. */
  createdAtListed?: string | undefined;
  ssh?: SshEndpoint[] | undefined;
  sshCommand?: string | undefined;
  /** Whose it is, as the record says it, the widest first: compared, never shown. */
  account?: readonly string[] | undefined;
  /** "8×h100": what the money buys, for messages. */
  size?: string | undefined;
  /** The inputs as the record shows them: drift, adoption and matching go by these. */
  observedInputs: Record<string, unknown>;
  /** Further outputs that people use. */
  outputs?: Record<string, unknown> | undefined;
  /** Whether a list has shown it in this operation. */
  isListed?: boolean | undefined;
  /** What the state is to keep hidden of it. */
  kept?: Record<string, unknown> | undefined;
}

/** Everything that it is called, its id first. */
export function namesOf({ id, names = [] }: Pick<View, "id" | "names">): string[] {
  return [...new Set([id, ...names])];
}

/** What is known from before, where the newer look does not tell. */
export function withNewer(earlier: View, newer: View): View {
  const told = Object.entries(newer).filter(([, value]) => value !== undefined);
  const outputs = { ...earlier.outputs, ...newer.outputs };
  return { ...earlier, ...Object.fromEntries(told), ...newerCost(earlier, newer), outputs, id: earlier.id };
}

/** A price that the service has shown is better than one of the book. */
function newerCost(earlier: View, newer: View): Pick<View, "costPerHour" | "isEstimate"> {
  const isKept = newer.costPerHour === undefined || (newer.isEstimate && earlier.costPerHour !== undefined);
  const { costPerHour, isEstimate } = isKept ? earlier : newer;
  return { costPerHour, isEstimate };
}

/** With the price of the user's own book where the service shows none, on these terms. */
export function withPrice(view: View, prices: Prices, terms: Readonly<Record<string, unknown>> = {}): View {
  if (view.costPerHour !== undefined) return view;
  const costPerHour = priceByBook({ ...view.observedInputs, ...terms }, view.region, prices);
  return costPerHour === undefined ? view : { ...view, costPerHour, isEstimate: true };
}

/** What inputs such as these cost by the book. */
export function priceByBook(
  { gpuType, gpuCount, sizeInGb, termType, discountPercentage }: Readonly<Record<string, unknown>>,
  region: string | undefined,
  prices: Prices,
): number | undefined {
  const isDiscounted = termType === "reserved" && typeof discountPercentage === "number";
  const priced =
    typeof gpuType === "string" && typeof gpuCount === "number"
      ? { name: gpuType, amount: gpuCount, region, ...(isDiscounted && { discountPercentage }) }
      : typeof sizeInGb === "number" && { name: storagePrice, amount: sizeInGb, region };
  const cost = priced ? priceIn(prices, priced) : undefined;
  return cost === undefined ? undefined : roundUsd(cost);
}

/** Whether the service has shown what it costs. */
export function isShown({ costPerHour, isEstimate }: Pick<View, "costPerHour" | "isEstimate">): boolean {
  return costPerHour !== undefined && !isEstimate;
}

/** `$19.92/h`, or `≈ $19.92/h` by the user's own book; nothing where no price is known. */
export function showCost({ costPerHour, isEstimate }: Pick<View, "costPerHour" | "isEstimate">): string {
  if (costPerHour === undefined) return "";
  return `${isEstimate ? "≈ " : ""}${showPerHour(costPerHour)}`;
}

/** The words of a kind for each phase, in capital letters or not. Any other is unrecognized. */
export type Statuses = Partial<Record<Phase, readonly string[]>>;

export function phaseOf(status: string, statuses: Statuses): Phase {
  const phases: Phase[] = ["ready", "pending", "failed", "ending", "ended"];
  const word = status.toLowerCase();
  return phases.find((phase) => statuses[phase]?.some((one) => one.toLowerCase() === word)) ?? "unrecognized";
}

/** Whether it will never be ready any more, so that only a new one helps. */
export function isBeyondRepair(phase: Phase): boolean {
  return phase === "failed" || phase === "ending" || phase === "ended";
}

/** Whether it may still be billing under its own power: not ended, and nobody is ending it. */
export function isLive(view: View): boolean {
  return view.phase !== "ended" && view.phase !== "ending";
}

/** The command to paste, only from parts that cannot carry anything else into a shell. */
export function sshCommandFor(endpoints: readonly SshEndpoint[] | undefined): string | undefined {
  const first = endpoints?.[0];
  if (!first || !isPlainAddress(first)) return undefined;
  return first.port === 22 ? `ssh ${first.user}@${first.host}` : `ssh -p ${first.port} ${first.user}@${first.host}`;
}
