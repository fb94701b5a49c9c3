import { isOver, raiseTheLimit, roundUsd, showPerHour } from "../../shared/money";
import { nameOf } from "../../shared/urn";
import type { CheckFailure, Declared, Runtime } from "../model";
import { knownSum, type Named, nameLargest, nameUnpriced } from "./sum";

/** The limit of the stack, held against all that the program has so far: told once, and only where something is to be rented. */
export function stackLimit(runtime: Runtime, row: string): CheckFailure[] {
  const { forecast, settings } = runtime;
  const { maxCostPerHour: limit, maxCostPerHourName: name } = settings;
  if (limit === undefined) return [];
  const declared = forecast.all();
  // Where it is past its limit already, not even what has no known price is rented.
  if (!declared.some(({ isNew }) => isNew)) return [];
  const total = knownSum(declared);
  if (!isOver(total, limit)) {
    warnOfBothAtOnce(runtime, row, limit);
    return [];
  }
  if (!isOver(knownSum(declared.filter(({ isAdopted }) => !isAdopted)), limit)) {
    warnOfAdopted(runtime, row, { total, limit });
    return [];
  }
  if (!forecast.isFirst("over budget")) return [];
  const what = `what this program has would cost ≈ ${showPerHour(total)}${nameUnpriced(declared)}`;
  return [over(what, { limit, name, largest: byFleet(declared) })];
}

/** Whether what is replaced is deleted before or after is the program's choice, of which a preview is not told. */
function warnOfBothAtOnce({ engine, forecast, settings }: Runtime, row: string, limit: number): void {
  const both = knownSum(forecast.atOnce());
  if (!isOver(both, limit) || !forecast.isFirst("over budget with what is replaced")) return;
  engine.warn(
    row,
    `while a replacement runs beside what it replaces, this program would cost ≈ ${showPerHour(both)}, more than ${settings.maxCostPerHourName} of ${showPerHour(limit)}. \`pulumi up\` refuses that, unless the old one is deleted first. Set \`deleteBeforeReplace: true\` on the resource, or \`replacement: "delete-first"\` on the GpuFleet.`,
  );
}

/** What is adopted counts at the price that it has, which the service tells and a preview does not know. */
function warnOfAdopted(
  { engine, forecast, settings }: Runtime,
  row: string,
  { total, limit }: { total: number; limit: number },
): void {
  if (!forecast.isFirst("over budget with what is adopted")) return;
  engine.warn(
    row,
    `with what is adopted, at estimated prices, this program would cost ≈ ${showPerHour(total)}, more than ${settings.maxCostPerHourName} of ${showPerHour(limit)}: \`pulumi up\` may refuse what is new.`,
  );
}

/** The words for a limit that is broken. */
export function over(
  what: string,
  { limit, name, largest }: { limit: number; name: string; largest: readonly Named[] },
): CheckFailure {
  return {
    property: "maxCostPerHour",
    reason: `${what}, more than ${name} of ${showPerHour(limit)}.${nameLargest(largest)} ${raiseTheLimit}`,
  };
}

/** A fleet is one line, by the name of its gate without what makes it a gate. */
function byFleet(declared: readonly Declared[]): Named[] {
  const sums = new Map<string, Named>();
  for (const { urn, name, gate, costPerHour } of declared) {
    const key = gate ?? urn;
    const before = sums.get(key)?.costPerHour ?? 0;
    const title = gate === undefined ? name : nameOf(gate).replace(/-ready$/, "");
    sums.set(key, { name: title, costPerHour: roundUsd(before + (costPerHour ?? 0)) });
  }
  return [...sums.values()];
}
