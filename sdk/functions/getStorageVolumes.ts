import type { Output } from "@pulumi/pulumi";
import type { CallOptions } from "../connection";
import { callService } from "../service";
import { type InputsOf, type OutputCallOptions, whenKnown } from "./invoke";
import { matches } from "./matching";
import { warnOfUnreadable } from "./unreadableItems";

export interface GetStorageVolumesArgs {
  /** Label to match exactly. */
  label?: string | undefined;
  region?: string | undefined;
  /** Status to match, such as `active`. */
  status?: string | undefined;
}

export interface ListedStorageVolume {
  storageVolumeId: number;
  label: string;
  status: string;
  region: string | undefined;
  sizeInGb: number | undefined;
  /** USD per hour. */
  costPerHour: number | undefined;
  createdAt: string | undefined;
  /** Address for mounting the volume. */
  vip: string | undefined;
  attachedRentals: number[];
}

export interface GetStorageVolumesResult {
  volumes: ListedStorageVolume[];
}

/** Lists all storage volumes of the account, including those that this stack did not create. */
export async function getStorageVolumes(
  args: GetStorageVolumesArgs = {},
  options: CallOptions = {},
): Promise<GetStorageVolumesResult> {
  return callService("getStorageVolumes", args, options, async (service) => {
    const { client } = service;
    const { label, region, status } = args;
    const {
      costPerHourOf,
      storageVolumeIdOf,
    }: typeof import("../../provider/service") = require("../../provider/service");
    const records = await client.listStorageVolumes({ signal: options.signal });
    warnOfUnreadable(service, "storage volumes", records);
    const volumes = records.map((record) => ({
      storageVolumeId: storageVolumeIdOf(record),
      label: record.label ?? "",
      status: record.status,
      region: record.region,
      sizeInGb: record.sizeInGb ?? record.sizeGb,
      costPerHour: costPerHourOf(record),
      createdAt: record.createdAt,
      vip: record.vip,
      attachedRentals: record.attachedRentals,
    }));
    return { volumes: volumes.filter((volume) => matches(volume, { label, region, status })) };
  });
}

export function getStorageVolumesOutput(
  args: InputsOf<GetStorageVolumesArgs> = {},
  options: OutputCallOptions = {},
): Output<GetStorageVolumesResult> {
  return whenKnown(args, options).apply((known) => getStorageVolumes(known, options));
}
