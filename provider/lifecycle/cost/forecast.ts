import { gatesOf } from "../../shared/fleetNames";
import { isOver, raiseTheLimit, roundUsd, showPerHour } from "../../shared/money";
import { storagePrice } from "../../shared/prices";
import { showGb } from "../../shared/size";
import { nameOf } from "../../shared/urn";
import type { ResourceDefinition } from "../definition";
import {
  type CheckFailure,
  type Declared,
  priceByBook,
  type Runtime,
  readFleetFacts,
  readPrice,
  type Values,
} from "../model";
import { type Costly, knownSum, type Named, nameLargest, nameUnpriced, priceInState, showSum } from "./sum";

/**
 * Money in a preview. Nothing is rented and nobody is asked: prices are those of the state, of others of the same kind in this
 * stack, and of the user's own book. What goes past a limit by these must fail in `pulumi up`, and so fails here.
 */

/** Says on its row what a resource would rent, and notes it for the limits. Returns the limits that it breaks. */
export function forecastRental(
  definition: ResourceDefinition,
  runtime: Runtime,
  urn: string,
  inputs: Values,
): CheckFailure[] {
  if (!definition.post) return [];
  const items = itemsOf(definition, runtime, inputs);
  if (inputs["adoptId"] !== undefined) {
    // It runs already, and counts beside what is to be rented.
    runtime.forecast.declareNew(urn, declaredOf(urn, inputs, { items, isNew: false }));
    return stackLimit(runtime, urn);
  }
  const failures = tellRental(definition, runtime, urn, { inputs, items });
  if (!items.every(isPriced)) {
    runtime.forecast.awaitPrice(urn, () => {
      const priced = itemsOf(definition, runtime, inputs);
      if (!priced.every(isPriced)) return undefined;
      const broken = tellRental(definition, runtime, urn, { inputs, items: priced });
      return broken.map((failure) => ({ ...failure, reason: `${nameOf(urn)}: ${failure.reason}` }));
    });
  }
  // A fleet is held against the limit by its gate.
  return readFleetFacts(inputs) ? [] : [...failures, ...stackLimit(runtime, urn)];
}

interface Item {
  size: string;
  costPerHour: number | undefined;
}

function isPriced({ costPerHour }: Item): boolean {
  return costPerHour !== undefined;
}

/** The machine, and what is rented along with it. */
function itemsOf(definition: ResourceDefinition, runtime: Runtime, inputs: Values): Item[] {
  const also = definition.alsoRents?.(inputs);
  return [inputs, ...(also ? [also] : [])].map((item) => itemOf(definition.type, runtime, item));
}

function itemOf(type: string, runtime: Runtime, asked: Values): Item {
  return { size: sizeOf(asked), costPerHour: expectedCost(type, runtime, asked) };
}

/** Returns the resource's own limit, if that is broken. */
function tellRental(
  { mostPerHour }: ResourceDefinition,
  runtime: Runtime,
  urn: string,
  { inputs, items }: { inputs: Values; items: readonly Item[] },
): CheckFailure[] {
  const own = items[0]?.costPerHour;
  runtime.forecast.declareNew(urn, declaredOf(urn, inputs, { items, isNew: true }));
  // Of a fleet its gate tells, once for all members.
  if (gateFor(urn, inputs) !== undefined) return [];
  const most = own === undefined ? mostPerHour?.(inputs) : undefined;
  const [first, ...rest] = items.map(({ size, costPerHour }) => `${size}, ${showSum([expected(costPerHour)])}`);
  const text = most === undefined ? first : `${items[0]?.size}, at most ${showPerHour(most)}`;
  runtime.engine.info(urn, [text, ...rest].join("; "));
  return ownLimit(inputs["maxCostPerHour"], own);
}

/** The machine is a member of its fleet, where it has one; what is rented along with it is not. */
function declaredOf(
  urn: string,
  inputs: Values,
  { items, isNew }: { items: readonly Item[]; isNew: boolean },
): Declared[] {
  const gate = gateFor(urn, inputs);
  const { replacement = "create-first" } = readFleetFacts(inputs) ?? {};
  const common = { urn, name: nameOf(urn), isNew, endsFirst: replacement !== "create-first" };
  return items.map((item, index) => ({ ...item, ...common, gate: index === 0 ? gate : undefined }));
}

function gateFor(urn: string, inputs: Values): string | undefined {
  return readFleetFacts(inputs) ? gatesOf(urn)?.ready : undefined;
}

/**
 * Notes what stays as it is, and the price that the state has of it. Returns the limits that what is to be rented breaks beside it, as far
 * as that was not known before.
 */
export function forecastKept(
  { type, post, besides, alsoRents }: ResourceDefinition,
  runtime: Runtime,
  urn: string,
  { state, inputs }: { state: Values; inputs: Values },
): CheckFailure[] {
  const { forecast, memory, settings } = runtime;
  if (!post) return [];
  const { costPerHour, isEstimate } = priceInState(state, settings.prices);
  const unit = unitOf(type, state);
  // What the book says of it, it says of others, too.
  if (unit && costPerHour !== undefined && !isEstimate) forecast.noteUnitPrice(unit.kind, costPerHour / unit.amount);
  if (memory.isInProgram(urn)) {
    const came = besides?.(state) && alsoRents?.(state);
    const items = [{ size: sizeOf(state), costPerHour }, ...(came ? [itemOf(type, runtime, came)] : [])];
    forecast.declareKept(urn, declaredOf(urn, inputs, { items, isNew: false }));
  }
  return [...forecast.tellAwaited(), ...stackLimit(runtime, urn)];
}

/** The same for a fleet, whose members came by before its gate: said once, on the row of the fleet. */
export function forecastFleet(
  runtime: Runtime,
  { gate, row, maxCostPerHour }: { gate: string; row: string; maxCostPerHour: unknown },
): CheckFailure[] {
  const members = runtime.forecast.membersOf(gate);
  const fresh = members.filter(({ isNew }) => isNew);
  if (fresh.length === 0) return [];
  runtime.engine.info(row, `${sizesOf(fresh)}, ${showSum(fresh.map((one) => expected(one.costPerHour)))}`);
  const limit = readPrice(maxCostPerHour);
  const total = knownSum(members);
  if (limit !== undefined && isOver(total, limit)) {
    return [
      over(`the fleet of ${members.length} would cost ≈ ${showPerHour(total)}${nameUnpriced(members)}`, {
        limit,
        name: "its maxCostPerHour",
        largest: members,
      }),
    ];
  }
  return stackLimit(runtime, row);
}

/** Says once in a preview that `pulumi up` will not get far. */
export function warnOfMissingConfiguration({ engine, forecast, missing }: Runtime): void {
  if (missing === undefined || !forecast.isFirst("missing")) return;
  engine.warn("", `\`pulumi up\` would fail: ${missing}`);
}

function ownLimit(limit: unknown, expected: number | undefined): CheckFailure[] {
  if (typeof limit !== "number" || expected === undefined || !isOver(expected, limit)) return [];
  return [over(`it would cost ≈ ${showPerHour(expected)}`, { limit, name: "its maxCostPerHour", largest: [] })];
}

/** The limit of the stack, held against all that the program has so far: told once, and only where something is to be rented. */
function stackLimit(runtime: Runtime, row: string): CheckFailure[] {
  const { forecast, settings } = runtime;
  const { maxCostPerHour: limit, maxCostPerHourName: name } = settings;
  if (limit === undefined) return [];
  const declared = forecast.all();
  const total = knownSum(declared);
  const rents = declared.some(({ isNew, costPerHour = 0 }) => isNew && costPerHour > 0);
  if (!rents) return [];
  if (!isOver(total, limit)) warnOfBothAtOnce(runtime, { row, total, limit });
  if (!isOver(total, limit) || !forecast.isFirst("over budget")) return [];
  const what = `what this program has would cost ≈ ${showPerHour(total)}${nameUnpriced(declared)}`;
  return [over(what, { limit, name, largest: byFleet(declared) })];
}

/** Whether what is replaced is deleted before or after is the program's choice, of which a preview is not told. */
function warnOfBothAtOnce(
  { engine, forecast, settings }: Runtime,
  { row, total, limit }: { row: string; total: number; limit: number },
): void {
  const both = roundUsd(total + knownSum(forecast.replaced()));
  if (!isOver(both, limit) || !forecast.isFirst("over budget with what is replaced")) return;
  engine.warn(
    row,
    `while a replacement runs beside what it replaces, this program would cost ≈ ${showPerHour(both)}, more than ${settings.maxCostPerHourName} of ${showPerHour(limit)}. \`pulumi up\` refuses that, unless the old one is deleted first: with the resource option deleteBeforeReplace, or of a fleet with replacement.`,
  );
}

function over(
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

/** `2 × 8×h100`; a fleet with different members lists each. */
function sizesOf(declared: readonly Declared[]): string {
  const counts = new Map<string, number>();
  for (const { size } of declared) counts.set(size, (counts.get(size) ?? 0) + 1);
  return [...counts].map(([size, count]) => `${count} × ${size}`).join(", ");
}

/** All that a preview knows of prices is what they were, or what somebody has written down. */
function expected(costPerHour: number | undefined): Costly {
  return { costPerHour, isEstimate: true };
}

/** As others of this stack cost; else by the user's own book. */
function expectedCost(type: string, { forecast, settings }: Runtime, inputs: Values): number | undefined {
  const unit = unitOf(type, inputs);
  if (!unit) return undefined;
  const known = forecast.unitPrice(unit.kind);
  return known === undefined ? priceByBook(inputs, unit.region, settings.prices) : roundUsd(known * unit.amount);
}

/** What a price is for: so many GPUs of a model, or GB, in a region and on its terms. */
function unitOf(
  type: string,
  { gpuType, gpuCount, sizeInGb, region, termType, termPeriodDays, discountPercentage }: Values,
) {
  const place = typeof region === "string" ? region : undefined;
  const terms = [termType, termPeriodDays, discountPercentage].map((term) => term ?? "").join("/");
  if (typeof gpuType === "string" && typeof gpuCount === "number" && gpuCount > 0) {
    return { kind: [type, gpuType, place, terms].join(" "), amount: gpuCount, region: place };
  }
  if (typeof sizeInGb !== "number" || sizeInGb <= 0) return undefined;
  return { kind: [storagePrice, place].join(" "), amount: sizeInGb, region: place };
}

/** "8×h100", "1,024 GB": as far as the preview knows it. */
function sizeOf({ gpuType, gpuCount, sizeInGb, select }: Values): string {
  if (typeof gpuCount === "number") {
    const model = typeof gpuType === "string" ? gpuType : modelIn(select);
    return `${gpuCount}×${model ?? "GPU"}`;
  }
  return typeof sizeInGb === "number" ? showGb(sizeInGb) : "size unknown";
}

function modelIn(select: unknown): string | undefined {
  const model: unknown = typeof select === "object" && select !== null ? Reflect.get(select, "gpuModel") : undefined;
  return typeof model === "string" ? model : undefined;
}
