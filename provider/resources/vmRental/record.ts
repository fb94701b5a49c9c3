import { type Kind, type Phase, phaseOf, type View } from "../../lifecycle";
import { costPerHourOf, type VmRental } from "../../service";
import { readMoment, readTimestamp } from "../../shared/timestamp";
import { hasEnded, withEnd } from "../ended";
import { inputsShownBy, viewOfRental } from "../rentalRecord";
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

export function viewOfVm(rental: VmRental, serviceNow: number): View {
  const now = latestTime(rental, serviceNow);
  const ends = [rental.terminatedAt, rental.deletedAt];
  const status = statusOf(rental, now, ends);
  return {
    ...viewOfRental(rental),
    ...withEnd({ status, phase: phaseIn(rental, status) }, now, ...ends),
    costPerHour: costPerHourOf(rental),
    observedInputs: inputsShownBy(rental, rental.networkType),
    outputs: rental.currentTerm ? { term: rental.currentTerm } : {},
  };
}

/** What times say is all that a record without a status has: they may be ahead of the service's clock, but not of their own. */
function latestTime({ status, updatedAt }: VmRental, serviceNow: number): number {
  return status ? serviceNow : Math.max(serviceNow, readTimestamp(updatedAt) ?? 0);
}

/** The documented record has no status: when it has started it runs, when it has ended it is gone. */
function statusOf(rental: VmRental, now: number, ends: VmRental["terminatedAt"][]): string {
  if (rental.status) return rental.status;
  if (hasEnded(now, ...ends)) return "Terminated";
  if (ends.some((end) => readMoment(end, now) === "unreadable")) return "Unknown";
  return hasStarted(rental) ? "Running" : "Pending";
}

function hasStarted({ startedAt }: VmRental): boolean {
  return readMoment(startedAt) !== undefined;
}

/** None of the words is documented: one that is not known means "not yet" until it has started, and is shown while it is waited for. */
function phaseIn(rental: VmRental, status: string): Phase {
  const phase = phaseOf(status, rentalStatuses);
  if (phase !== "unrecognized") return phase;
  return hasStarted(rental) ? "ready" : "pending";
}
