import type { Output } from "@pulumi/pulumi";
import type { CallOptions } from "../connection";
import type { PortMapping } from "../marketplaceInstance";
import { callService } from "../service";
import { type InputsOf, type OutputCallOptions, whenKnown } from "./invoke";
import { matches } from "./matching";
import { warnOfUnreadable } from "./unreadableItems";

export interface GetMarketplaceInstancesArgs {
  /** Status to match, such as `running`. */
  status?: string | undefined;
  nodeName?: string | undefined;
  clusterName?: string | undefined;
}

/** A listed instance. The service documents only the id, so every other field may be missing. */
export interface ListedMarketplaceInstance {
  instanceId: string;
  status: string;
  gpuModel: string | undefined;
  gpuCount: number | undefined;
  nodeName: string | undefined;
  clusterName: string | undefined;
  /** USD per hour. */
  pricePerGpuHour: number | undefined;
  createdAt: string | undefined;
  endedAt: string | undefined;
  sshCommand: string | undefined;
  portMappings: PortMapping[];
}

export interface GetMarketplaceInstancesResult {
  instances: ListedMarketplaceInstance[];
}

/** Lists all marketplace instances of the account, including those that this stack did not create. */
export async function getMarketplaceInstances(
  args: GetMarketplaceInstancesArgs = {},
  options: CallOptions = {},
): Promise<GetMarketplaceInstancesResult> {
  return callService("getMarketplaceInstances", args, options, async (service) => {
    const { client, priceInUsd } = service;
    const { status, nodeName, clusterName } = args;
    const listed = await client.listMarketplaceInstances({ signal: options.signal });
    warnOfUnreadable(service, "marketplace instances", listed.instances);
    const instances = listed.instances.map((instance) => ({
      instanceId: instance.id,
      status: instance.status,
      gpuModel: instance.gpuModel,
      gpuCount: instance.gpuCount,
      nodeName: instance.nodeName,
      clusterName: instance.clusterName,
      pricePerGpuHour: instance.price === undefined ? undefined : priceInUsd(instance.price),
      createdAt: instance.createdAt,
      endedAt: instance.endedAt,
      sshCommand: instance.sshCommand,
      portMappings: (instance.portMappings ?? []).map(portMapping),
    }));
    return { instances: instances.filter((instance) => matches(instance, { status, nodeName, clusterName })) };
  });
}

function portMapping(record: { [Key in keyof PortMapping]?: PortMapping[Key] | undefined }): PortMapping {
  const { domain, protocol, port } = record;
  return {
    ...(domain !== undefined && { domain }),
    ...(protocol !== undefined && { protocol }),
    ...(port !== undefined && { port }),
  };
}

export function getMarketplaceInstancesOutput(
  args: InputsOf<GetMarketplaceInstancesArgs> = {},
  options: OutputCallOptions = {},
): Output<GetMarketplaceInstancesResult> {
  return whenKnown(args, options).apply((known) => getMarketplaceInstances(known, options));
}
