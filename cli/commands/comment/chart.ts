import { showPerHour } from "../../../provider/shared/money";
import type { RegionRow } from "../../money";

const mostBars = 12;

/** GPUs by region and model as bars, with the price beside each. GPUs, because their number is always known. */
export function chartOf(regions: readonly RegionRow[]): string[] {
  // A single bar tells nothing that the table does not.
  if (regions.length < 2) return [];
  const bars = regions.slice(0, mostBars).map((row) => ({ label: labelOf(row), gpus: row.gpus }));
  const most = Math.max(...bars.map(({ gpus }) => gpus));
  const left = regions.length - bars.length;
  return [
    "```mermaid",
    "xychart-beta horizontal",
    `  title "GPUs by region and model${left > 0 ? `, the first ${mostBars} of ${regions.length}` : ""}"`,
    `  x-axis [${bars.map((bar) => bar.label).join(", ")}]`,
    `  y-axis "GPUs" 0 --> ${most}`,
    `  bar [${bars.map((bar) => bar.gpus).join(", ")}]`,
    "```",
  ];
}

/** Between the quotes stand nothing but plain letters: a model's name is whatever the service says. */
function labelOf({ gpus, model, region, perHour, known, unknown }: RegionRow): string {
  const place = `${gpus} ${model} in ${region}`.replace(/[^A-Za-z0-9 ._-]+/g, " ").trim();
  const sum = known > 0 ? showPerHour(perHour) : "price unknown";
  return `"${place}: ${sum}${known > 0 && unknown > 0 ? ` + ${unknown} unknown` : ""}"`;
}
