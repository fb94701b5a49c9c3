import { BadRequestError, NotFoundError } from "../../client";
import { showStatus } from "../context";
import type { OperationContext } from "../definition";
import { messageOf, RefusedError, type View } from "../model";

interface Placed {
  region?: string | undefined;
  fallbackRegions?: string[] | undefined;
}

/** Tries the region, then its fallbacks, as long as the service refuses for want of capacity. */
export async function firstRegionWithCapacity<Inputs extends Placed>(
  context: OperationContext<Inputs>,
  attempt: (inputs: Inputs) => Promise<View>,
): Promise<View> {
  const { region, fallbackRegions = [] } = context.inputs;
  const regions = [...new Set([region, ...fallbackRegions])];
  const refusals: unknown[] = [];
  for (const candidate of regions) {
    try {
      return await attempt(candidate === undefined ? context.inputs : { ...context.inputs, region: candidate });
    } catch (error) {
      if (!isCapacityRefusal(error)) throw error;
      refusals.push(error);
      if (refusals.length < regions.length) showStatus(context, `no capacity in ${candidate}, trying the next region`);
    }
  }
  if (refusals.length === 1) throw refusals[0];
  throw new RefusedError(`no capacity in ${regions.join(", ")}: ${refusals.map(messageOf).join("; ")}`, {
    cause: refusals.at(-1),
  });
}

const scarce = /capacity|sold out|out of stock/i;
const hardware = "(gpus?|machines?|nodes?|servers?|hardware|resources?|regions?|[abhlv]\\d{2,3}\\w*)";
/** "h100 is not available in us-central-1", "insufficient GPU availability": said of hardware, in one clause. */
const unavailable = new RegExp(`\\b${hardware}\\b[^.;:]*availab|availab[^.;:]*\\b${hardware}\\b`, "i");
/** What else a service may say to be missing. */
const other = /not yet|balance|credit|funds|payment|account|quota|label|image/i;

/** The service refused for want of capacity: a definite no, about this region and not about the request or its payment. */
export function isCapacityRefusal(error: unknown): boolean {
  if (!(error instanceof BadRequestError || error instanceof NotFoundError)) return false;
  if (error.status === 402 || other.test(error.reason)) return false;
  return scarce.test(error.reason) || unavailable.test(error.reason);
}
