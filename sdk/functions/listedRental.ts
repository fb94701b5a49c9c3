import type { View } from "../../provider/lifecycle";
import type { SshEndpoint } from "../machine";

/** Which rentals to list: all that are like this. */
export interface RentalCriteria {
  /** Only the rentals with exactly this label. */
  label?: string | undefined;
  region?: string | undefined;
  /** Such as `Running`. */
  status?: string | undefined;
  gpuType?: string | undefined;
}

/** A rental as the service lists it. What the record does not tell is missing. */
export interface ListedRental {
  rentalId: number;
  label: string | undefined;
  status: string;
  region: string | undefined;
  gpuType: string | undefined;
  gpuCount: number | undefined;
  /** USD per hour. */
  costPerHour: number | undefined;
  createdAt: string | undefined;
  ssh: SshEndpoint[];
}

export function listedRental(
  view: View,
  gpus: { gpuType?: string | undefined; gpuCount?: number | undefined },
): ListedRental {
  return {
    rentalId: Number(view.id),
    label: view.label,
    status: view.status,
    region: view.region,
    gpuType: gpus.gpuType,
    gpuCount: gpus.gpuCount,
    costPerHour: view.costPerHour,
    createdAt: view.createdAt,
    ssh: view.ssh ?? [],
  };
}
