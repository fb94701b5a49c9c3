import type { Statuses } from "../lifecycle";
import { endedStatuses } from "../service";

/** The words of rentals, bare metal and virtual machines alike. */
export const rentalStatuses: Statuses = {
  pending: ["Pending", "Unknown"],
  ready: ["Running"],
  failed: ["Failed", "Error"],
  ending: ["Terminating", "Deleting", "Destroying"],
  ended: endedStatuses,
};
