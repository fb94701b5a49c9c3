/**
 * The words for what is over and bills no more, in any letters. One is documented; services have others. Not "stopped", which may bill, nor
 * "expired", which may go on by the hour.
 */
export const endedStatuses = [
  "Terminated",
  "Deleted",
  "Destroyed",
  "Ended",
  "Removed",
  "Cancelled",
  "Canceled",
] as const;

export function isEndedStatus(status: string): boolean {
  return endedStatuses.some((word) => word.toLowerCase() === status.toLowerCase());
}
