import type { Output } from "@pulumi/pulumi";
import type { CallOptions } from "../connection";
import { callService } from "../service";
import { type InputsOf, type OutputCallOptions, whenKnown } from "./invoke";

export interface GetRequestCostArgs {
  /** Ids of inference requests: the `requestId` of their answers. Any number of them. */
  requestIds: string[];
}

export interface RequestCost {
  requestId: string;
  costNanoUsd: number;
  costUsd: number;
}

export interface GetRequestCostResult {
  requests: RequestCost[];
  /** Sum of the known costs. */
  costUsd: number;
  /** Ids that the service does not know or has not billed yet. */
  missing: string[];
}

const nanoPerUsd = 1e9;

/** Returns the cost of inference requests. */
export async function getRequestCost(
  { requestIds }: GetRequestCostArgs,
  options: CallOptions = {},
): Promise<GetRequestCostResult> {
  return callService("getRequestCost", { requestIds }, options, async ({ client }) => {
    const { requests } = await client.getRequestCost({ requestIds }, { signal: options.signal });
    const costs = requests.map(({ requestId, costNanoUsd }) => ({
      requestId,
      costNanoUsd,
      costUsd: costNanoUsd / nanoPerUsd,
    }));
    const known = new Set(costs.map(({ requestId }) => requestId));
    return {
      requests: costs,
      costUsd: costs.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0) / nanoPerUsd,
      missing: [...new Set(requestIds)].filter((id) => !known.has(id)),
    };
  });
}

export function getRequestCostOutput(
  args: InputsOf<GetRequestCostArgs>,
  options: OutputCallOptions = {},
): Output<GetRequestCostResult> {
  return whenKnown(args, options).apply((known) => getRequestCost(known, options));
}
