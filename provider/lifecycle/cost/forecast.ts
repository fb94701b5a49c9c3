import { gatesOf } from "../../shared/fleetNames";
import { isOver, roundUsd, showPerHour } from "../../shared/money";
import { storagePrice } from "../../shared/prices";
import { showGb } from "../../shared/size";
import { hasUnknown } from "../../shared/unknown";
import { nameOf } from "../../shared/urn";
import type { ResourceDefinition } from "../definition";
import {
  type CheckFailure,
  type Declared,
  type Phase,
  phaseOf,
  priceByBook,
  type Runtime,
  readFleetFacts,
  readPrice,
  unresolvedFingerprint,
  type Values,
} from "../model";
import { over, stackLimit } from "./stackForecast";
import { type Costly, knownSum, nameUnpriced, priceInState, showSum } from "./sum";

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
  const tell = inputs["adoptId"] === undefined ? tellRental : noteAdopted;
  const failures = tell(definition, runtime, urn, { inputs, items });
  if (!items.every(isPriced)) {
    runtime.forecast.awaitPrice(urn, () => {
      const priced = itemsOf(definition, runtime, inputs);
      if (!priced.every(isPriced)) return undefined;
      const broken = tell(definition, runtime, urn, { inputs, items: priced });
      return broken.map((failure) => ({ ...failure, reason: `${nameOf(urn)}: ${failure.reason}` }));
    });
  }
  // A fleet is held against the limit by its gate.
  return readFleetFacts(inputs) ? [] : [...failures, ...stackLimit(runtime, urn)];
}

interface Item {
  size: string;
  costPerHour: number | undefined;
  /** Whether that is no price that the service has shown of it. */
  isEstimate: boolean;
  /** Type and id, where it is there already. */
  key?: string | undefined;
}

function isPriced({ costPerHour }: Item): boolean {
  return costPerHour !== undefined;
}

/** The machine, and what is rented along with it. */
function itemsOf(definition: ResourceDefinition, runtime: Runtime, inputs: Values): Item[] {
  const also = definition.alsoRents?.(inputs);
  const own = { ...itemOf(definition.type, runtime, inputs), key: keyOfAdopted(definition.type, inputs) };
  return [own, ...(also ? [itemOf(definition.type, runtime, also)] : [])];
}

function keyOfAdopted(type: string, { adoptId }: Values): string | undefined {
  return adoptId === undefined || hasUnknown(adoptId) ? undefined : `${type} ${adoptId}`;
}

function itemOf(type: string, runtime: Runtime, asked: Values): Item {
  return { size: sizeOf(asked), costPerHour: expectedCost(type, runtime, asked), isEstimate: true };
}

/** It runs already, and counts beside what is to be rented. */
function noteAdopted(
  _: ResourceDefinition,
  runtime: Runtime,
  urn: string,
  { inputs, items }: { inputs: Values; items: readonly Item[] },
): CheckFailure[] {
  runtime.forecast.declareNew(urn, declaredOf(urn, inputs, { items, isNew: false, isAdopted: true }));
  return [];
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
  { items, ...what }: { items: readonly Item[] } & Pick<Declared, "isNew" | "isAdopted" | "isReplaced">,
): Declared[] {
  const gate = gateFor(urn, inputs);
  const { replacement = "create-first" } = readFleetFacts(inputs) ?? {};
  const common = { urn, name: nameOf(urn), ...what, endsFirst: replacement !== "create-first" };
  return items.map((item, index) => ({ ...item, ...common, gate: index === 0 ? gate : undefined }));
}

function gateFor(urn: string, inputs: Values): string | undefined {
  return readFleetFacts(inputs) ? gatesOf(urn)?.ready : undefined;
}

/**
 * Notes what the state has, and its price. Returns the limits that what is to be rented breaks beside it, as far as that was not known
 * before. Where another is to take its place, what that costs is told next, and judged then.
 */
export function forecastKept(
  { type, kind, post, besides, alsoRents }: ResourceDefinition,
  runtime: Runtime,
  urn: string,
  { id, state, inputs, isReplaced }: { id: string; state: Values; inputs: Values; isReplaced: boolean },
): CheckFailure[] {
  const { forecast, memory, settings } = runtime;
  if (!post) return [];
  const { costPerHour, isEstimate = false } = priceInState(state, settings.prices);
  const unit = unitOf(type, state);
  // What the book says of it, it says of others, too.
  if (unit && costPerHour !== undefined && !isEstimate) forecast.noteUnitPrice(unit.kind, costPerHour / unit.amount);
  if (memory.isInProgram(urn)) {
    const own = { size: sizeOf(state), costPerHour, isEstimate, key: `${type} ${id}` };
    const came = besides?.(state);
    const asked = came && alsoRents?.(state);
    const along = asked ? [{ ...itemOf(type, runtime, asked), key: `${came.type} ${came.id}` }] : [];
    const [machine, ...others] = declaredOf(urn, inputs, { items: [own, ...along], isNew: false, isReplaced });
    const isGone = hasEnded(id, phaseOf(String(state["status"] ?? ""), kind.statuses));
    forecast.declareKept(urn, [...(machine && !isGone ? [machine] : []), ...others]);
  }
  return [...forecast.tellAwaited(), ...(isReplaced ? [] : stackLimit(runtime, urn))];
}

/** Whether it costs nothing any more, or was perhaps never made: what came with it may bill all the same. */
function hasEnded(id: string, phase: Phase): boolean {
  return phase === "ended" || phase === "ending" || unresolvedFingerprint(id) !== undefined;
}

/** The same for a fleet, whose members came by before its gate: said once, on the row of the fleet. */
export function forecastFleet(
  runtime: Runtime,
  { gate, row, maxCostPerHour }: { gate: string; row: string; maxCostPerHour: unknown },
): CheckFailure[] {
  const members = runtime.forecast.membersOf(gate);
  const fresh = members.filter(({ isNew }) => isNew);
  if (fresh.length === 0) return stackLimit(runtime, row);
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
    const model = textIn(gpuType) ?? textIn(modelIn(select));
    return `${gpuCount}×${model ?? "GPU"}`;
  }
  return typeof sizeInGb === "number" ? showGb(sizeInGb) : "size unknown";
}

function modelIn(select: unknown): unknown {
  return typeof select === "object" && select !== null ? Reflect.get(select, "gpuModel") : undefined;
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" && !hasUnknown(value) ? value : undefined;
}
