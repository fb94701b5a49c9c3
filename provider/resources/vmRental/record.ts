import { type Kind, type Phase, phaseOf, type View } from "../../lifecycle";
import { costPerHourOf, type VmRental } from "../../service";
import { accountOf } from "../account";
import { hasEnded } from "../ended";
import { rentalStatuses } from "../rentalStatuses";

/** Virtual-machine rentals, where the service lists them. */
export const vmRentals: Kind<VmRental> = {
  plural: "virtual-machine rentals",
  base: "v2",
  statuses: rentalStatuses,
  fetch: (client, call) => client.listVmRentals(call),
  idOf: (rental) => String(rental.id),
  labelOf: (rental) => rental.label,
  view: viewOfVm,
};

export function viewOfVm(rental: VmRental, now: number): View {
  const isEnded = hasEnded(now, rental.terminatedAt, rental.deletedAt);
  const status = statusOf(rental, isEnded);
  return {
    id: String(rental.id),
    status,
    phase: isEnded ? "ended" : phaseIn(rental, status),
    label: rental.label ?? undefined,
    region: rental.region ?? undefined,
    createdAt: rental.createdAt,
    account: accountOf(rental),
    costPerHour: costPerHourOf(rental),
    ssh: rental.providerData?.sshNetworking?.map(({ host, port, user }) => ({ host, port, user })),
    size: rental.gpuCount === undefined ? undefined : `${rental.gpuCount}×${rental.gpuType ?? "GPU"}`,
    observedInputs: {
      label: rental.label ?? undefined,
      region: rental.region ?? undefined,
      gpuType: rental.gpuType,
      gpuCount: rental.gpuCount,
      networkType: rental.networkType ?? undefined,
      convertToOnDemandOnExpiry: rental.convertToOnDemandOnExpiry ?? undefined,
    },
    outputs: rental.currentTerm ? { term: rental.currentTerm } : {},
  };
}

/** The documented record has no status: when it has started it runs, when it has ended it is gone. */
function statusOf(rental: VmRental, isEnded: boolean): string {
  if (rental.status) return rental.status;
  if (isEnded) return "Terminated";
  return rental.startedAt ? "Running" : "Pending";
}

function phaseIn(rental: VmRental, status: string): Phase {
  const phase = phaseOf(status, rentalStatuses);
  return phase === "unrecognized" && rental.startedAt ? "ready" : phase;
}
