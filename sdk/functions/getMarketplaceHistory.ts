import type { Output } from "@pulumi/pulumi";
import type { CallOptions } from "../connection";
import { callService } from "../service";
import { type OutputCallOptions, whenKnown } from "./invoke";
import { warnOfUnreadable } from "./unreadableItems";

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
  return callService("getMarketplaceHistory", {}, options, async (service) => {
    const { client, priceInUsd } = service;
    const { instance_history } = await client.getMarketplaceHistory({ signal: options.signal });
    warnOfUnreadable(service, "past marketplace instances", instance_history);
    return {
      instances: instance_history.map((entry) => ({
        instanceId: entry.instance_name,
        startedAt: entry.started_at,
        endedAt: entry.terminated_at,
        gpuCount: entry.gpu_count,
        pricePerGpuHour: entry.price === undefined ? undefined : priceInUsd(entry.price),
      })),
    };
  });
}

export function getMarketplaceHistoryOutput(options: OutputCallOptions = {}): Output<GetMarketplaceHistoryResult> {
  return whenKnown({}, options).apply(() => getMarketplaceHistory(options));
}
