import { cleanText } from "../../client";
import { readTimestamp } from "../../service";
import { showDuration } from "../../shared/duration";
import { showPerHour } from "../../shared/money";
import type { Work } from "../model/context";
import type { View } from "../model/view";

/** `bare-metal rental 1042 "train-…" (Running, 8×h100 in us-central-1, $19.92/h, for 3h12m)` */
export function describe(work: Work<unknown>, view: View): string {
  const created = readTimestamp(view.createdAt);
  const facts = [
    view.status,
    [view.size, view.region && `in ${view.region}`].filter(Boolean).join(" "),
    view.costPerHour === undefined ? "" : showPerHour(view.costPerHour),
    created === undefined ? "" : `for ${showDuration(work.runtime.clock.now() - created)}`,
  ];
  const label = view.label ? ` "${view.label}"` : "";
  // Label and status are whatever the service says, and this goes to terminals.
  return cleanText(`${work.noun} ${view.id}${label} (${facts.filter(Boolean).join(", ")})`);
}

/** Where what the record shows is not what the inputs ask for. A fallback region is as good as the region. */
export function differences(view: View, inputs: object): string[] {
  const asked = new Map<string, unknown>(Object.entries(inputs));
  const fallbacks = asked.get("fallbackRegions");
  return Object.entries(view.shown)
    .filter(([key, value]) => {
      const wanted = asked.get(key) ?? undefined;
      if (wanted === undefined || value === undefined || JSON.stringify(wanted) === JSON.stringify(value)) return false;
      return !(key === "region" && Array.isArray(fallbacks) && fallbacks.includes(value));
    })
    .map(([key, value]) => `${key} is ${JSON.stringify(value)}, not ${JSON.stringify(asked.get(key))}`);
}
