import type { Output } from "@pulumi/pulumi";
import { type CallOptions, connect, marketplacePriceInUsd } from "../connection";
import { type OutputCallOptions, whenKnown } from "./invoke";

/** A past instance. The service documents none of its fields, so each may be missing. */
export interface PastMarketplaceInstance {
  instanceId: string | undefined;
  startedAt: string | undefined;
  endedAt: string | undefined;
  gpuCount: number | undefined;
  /** USD per hour. */
  pricePerGpuHour: number | undefined;
}

export interface GetMarketplaceHistoryResult {
  instances: PastMarketplaceInstance[];
}

/** Lists the account's marketplace instances that have ended. */
export async function getMarketplaceHistory(options: CallOptions = {}): Promise<GetMarketplaceHistoryResult> {
  const { instance_history } = await connect(options).getMarketplaceHistory({ signal: options.signal });
  return {
    instances: instance_history.map((entry) => ({
      instanceId: entry.instance_name,
      startedAt: entry.started_at,
      endedAt: entry.terminated_at,
      gpuCount: entry.gpu_count,
      pricePerGpuHour: entry.price === undefined ? undefined : marketplacePriceInUsd(entry.price),
    })),
  };
}

export function getMarketplaceHistoryOutput(options: OutputCallOptions = {}): Output<GetMarketplaceHistoryResult> {
  return whenKnown({}, options).apply(() => getMarketplaceHistory(options));
}
