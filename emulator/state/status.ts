import { type Kind, statuses } from "./facts";
import { endsByFailing, type Life, phaseAt } from "./transitions";

export function statusAt(kind: Kind, object: Life, at: number): string {
  const phase = phaseAt(object, at);
  // Only a clock that was set back shows an object before its creation.
  if (phase === "absent") return statuses[kind].starting;
  if (phase === "ended" && endsByFailing(object)) return statuses[kind].failed;
  // Marketplace instances start in two steps.
  if (kind === "marketplace-instance" && phase === "starting") {
    return at < (object.createdAt + object.readyAt) / 2 ? "creating" : "starting";
  }
  return statuses[kind][phase];
}
