import { BadRequestError, NotFoundError } from "../../client";
import { messageOf } from "../../shared/messageOf";
import { showStatus } from "../context";
import type { OperationContext } from "../definition";
import { RefusedError, type View } from "../model";

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

/** Statuses that speak of the account or of this very request, whatever their words. */
const notAboutRegions = [402];
const aboutAccount = /\b(balance|credits?|funds?|payment|billing|quota|permissions?)\b|\$\s?\d/i;
const machines = "(gpus?|nodes?|machines?|instances?|servers?|hosts?|hardware|(a|b|gb|h|l)\\d{2,3}s?)";
const anything = `(${machines}|resources?|offers?)`;
/** "no available 8×h100 nodes", but not "no available addresses for nodes". */
const upToThreeWords = "((?!(for|of|on|with|to|in|from)\\b)[\\w×.-]+\\s+){0,3}";
const region = "(the |this )?(selected |requested )?(region|zone|location|[a-z]{2}-[a-z]+-\\d)";
const aboutCapacity = [
  /\b(no|not enough|insufficient|out of|lack of|limited|exceeds?( the)?( available)?)\s+(\w+\s+){0,2}capacity\b/i,
  /\bcapacity\s+(is\s+|has\s+been\s+)?(exceeded|exhausted|reached|full|unavailable|not available)\b/i,
  /\b(at|over) (full |maximum )?capacity\b/i,
  /\bsold out\b|\b(no|out of) stock\b/i,
  new RegExp(`\\b(no|insufficient|limited)\\s+${machines}\\s+availability\\b`, "i"),
  /\bregion\s+\S+\s+is\s+(currently\s+)?(unavailable|not available)\b/i,
  /\bregion\s+(\S+\s+)?is\s+(currently\s+)?full\b/i,
  new RegExp(
    `\\b(not enough|insufficient|no|too few)\\b[^.;]{0,30}\\b${anything}\\b[^.;]{0,30}\\b(available|free|left)\\b`,
    "i",
  ),
  new RegExp(`\\bno\\s+(\\w+\\s+)?(available|free)\\s+${upToThreeWords}${anything}\\b`, "i"),
  new RegExp(`\\b(not enough|insufficient|too few|out of)\\s+${upToThreeWords}${anything}\\b`, "i"),
  new RegExp(`\\bno\\s+${upToThreeWords}${machines}\\b[^.;]{0,40}\\bin ${region}`, "i"),
  new RegExp(`\\b${machines}\\b[^.;:]{0,30}\\b(not (currently )?available|unavailable)\\b`, "i"),
  /\b(requested|selected|this) configuration (is )?((currently|temporarily) )?(not (currently )?available|unavailable)\b/i,
  /\bnot enough\b[^.;]{0,40}\bavailable in\b/i,
  new RegExp(`\\b(unavailable|not (currently )?available|no availability) in ${region}`, "i"),
];

/** The service refused for want of capacity: a definite no, about this region and not about the request. */
export function isCapacityRefusal(error: unknown): boolean {
  if (!(error instanceof BadRequestError || error instanceof NotFoundError)) return false;
  const { reason, code = "", status = 0 } = error;
  // NO_CAPACITY, InsufficientCapacity
  const said = [reason, code.replace(/([a-z])([A-Z])/g, "$1 $2")].map((text) => text.replaceAll("_", " "));
  if (notAboutRegions.includes(status) || said.some((text) => aboutAccount.test(text))) return false;
  return said.some((text) => aboutCapacity.some((words) => words.test(text)));
}
