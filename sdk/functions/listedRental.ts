import type { View } from "../../provider/lifecycle";
import type { SshEndpoint } from "../machine";

/** Filter: only rentals that match every given field are listed. */
export interface RentalCriteria {
  /** Label to match exactly. */
  label?: string | undefined;
  region?: string | undefined;
  /** Status to match, such as `Running`. */
  status?: string | undefined;
  gpuType?: string | undefined;
}

/** A listed rental. Fields that the service does not show are undefined. */
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
