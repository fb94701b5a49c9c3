import { count } from "../../../provider/shared/count";
import { type Billable, isVolume, sizeOf } from "../../money";
import { countsOf, type FleetChange, listOf, type Summary, showPrice } from "../../preview";
import { changeHeader, changeRows, moreRow } from "./changeTable";
import { inHtml } from "./escape";
import type { Part } from "./fit";

const mostFleets = 50;

/** One line per fleet, with what changes of it folded. */
export function fleetLines({ fleets, notShown }: Summary): Part[] {
  const parts = fleets.slice(0, mostFleets).map((fleet): Part => {
    const rows = changeRows(fleet.changes);
    return {
      lines: ["<details>", `<summary>${lineOf(fleet, notShown > 0)}</summary>`, "", ...changeHeader],
      items: rows.map(({ text }) => text),
      more: (left) => moreRow(rows.slice(-left).reduce((sum, { size }) => sum + size, 0)),
      end: ["", "</details>"],
      worth: 0,
    };
  });
  const left = fleets.length - parts.length;
  return left > 0 ? [...parts, { lines: [`… and ${count(left, "more fleet")}`] }] : parts;
}

/** `Fleet a: 4 → 6 machines (2 created), 8×b200 in eu-west-3, $159.68/h → ≈ $239.52/h` */
function lineOf(fleet: FleetChange, isIncomplete: boolean): string {
  // Without the unchanged members, how many there are is not known.
  const machines = isIncomplete ? countsOf(fleet.changes) : machineCount(fleet);
  const facts = [machines, ...whatOf(fleet), ...(isIncomplete ? [] : priceIn(fleet))];
  return `<b>Fleet ${inHtml.name(fleet.name)}</b>: ${facts.join(", ")}`;
}

function machineCount({ machinesBefore, machinesAfter, changes }: FleetChange): string {
  const [before, after] = [machinesBefore.length, machinesAfter.length];
  if (before === 0) return count(after, "new machine");
  if (after === 0) return `${count(before, "machine")}, all deleted`;
  const rentals = changes.filter(({ billedBefore, billedAfter }) =>
    [...billedBefore, ...billedAfter].some((billable) => !isVolume(billable)),
  );
  const all = count(after, "machine");
  const done = rentals.length > 0 ? ` (${countsOf(rentals)})` : "";
  return `${before === after ? all : `${before.toLocaleString("en-US")} → ${all}`}${done}`;
}

const most = 3;

function whatOf({ machinesBefore, machinesAfter }: FleetChange): string[] {
  const [before, after] = [machinesBefore, machinesAfter].map(sizesIn);
  const sizes = before && after && before !== after ? `${before} → ${after}` : after || before;
  const regions = distinct(
    (machinesAfter.length > 0 ? machinesAfter : machinesBefore).flatMap(({ region }) => region ?? []),
  );
  const place = regions.length > 0 ? ` in ${listOf(regions.map(inHtml.word), most)}` : "";
  return sizes ? [`${sizes}${place}`] : [];
}

function sizesIn(machines: readonly Billable[]): string {
  return listOf(distinct(machines.map(sizeOf)).map(inHtml.word), most);
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}

function priceIn({ billedBefore, billedAfter }: FleetChange): string[] {
  const prices = [billedBefore, billedAfter].flatMap((billed) => (billed.length > 0 ? [showPrice(billed)] : []));
  return prices.length > 0 ? [[...new Set(prices)].join(" → ")] : [];
}
