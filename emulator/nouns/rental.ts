import type { gpuTypes, networkTypes, regions, termTypes } from "../../provider/service";
import { Refusal } from "../refusal";
import {
  begin,
  beginFailing,
  type Call,
  end,
  endsByFailing,
  isEnding,
  isPresent,
  type PriceFacts,
  phaseAt,
  type RentalFacts,
  type World,
} from "../state";
import { own } from "./account";
import { refuseWithoutFunds } from "./billing";
import { refuseBrokenGpuCount } from "./gpuCount";
import { newSsh } from "./machineSsh";
import { flatPrice, gpuPrices, roundUsd } from "./price";
import { isListed } from "./record";

/** What bare-metal and virtual-machine rentals have in common. */

const dayMs = 86_400_000;
const longestTermDays = 3650;
/** Larger ones go through the operation `request-reservation`. */
const mostGpusPerRental = 1024;
const defaultTermDays = 30;

interface RentalRequest {
  gpuType: (typeof gpuTypes)[number];
  gpuCount: number;
  networkType: (typeof networkTypes)[number];
  region: (typeof regions.all)[number];
  label?: string | undefined;
  termType: (typeof termTypes)[number];
  termPeriodDays?: number | undefined;
  discountPercentage: number;
  monitoringEnabled?: boolean | undefined;
  convertToOnDemandOnExpiry: boolean;
  customPorts?: number[] | undefined;
}

/** A new rental; throws a Refusal where it cannot be created. */
export function newRental(world: World, call: Call, kind: RentalFacts["kind"], request: RentalRequest): RentalFacts {
  const { gpuCount, gpuType, region } = request;
  refuseWithoutFunds(world, call);
  refuseBrokenGpuCount("gpuCount", gpuCount);
  if (gpuCount > mostGpusPerRental) {
    throw new Refusal(400, `gpuCount: must be ${mostGpusPerRental} or less; request a reservation for more`);
  }
  if (gpusInUse(world, region, call.at) + gpuCount > world.settings.capacity) {
    throw new Refusal(400, `no capacity for ${gpuCount}×${gpuType} in ${region}`);
  }
  const price = priceOf(request, call.at);
  const fails = call.faults.failProvisioning;
  const { provisionMs, endMs } = world.settings;
  const life =
    fails && kind === "virtual-machine" ? beginFailing(call.at, provisionMs) : begin(call.at, provisionMs, fails);
  const endsWithTerm = price.discounted !== null && !request.convertToOnDemandOnExpiry && !fails;
  return {
    id: world.store.nextRentalId(),
    account: call.account,
    kind,
    label: request.label ?? null,
    region,
    gpuType,
    gpuCount,
    networkType: request.networkType,
    monitoringEnabled: request.monitoringEnabled ?? false,
    convertToOnDemandOnExpiry: request.convertToOnDemandOnExpiry,
    customPorts: request.customPorts ?? [],
    price,
    ssh: newSsh(call),
    life: endsWithTerm && price.discounted ? end(life, price.discounted.until, endMs) : life,
  };
}

function gpusInUse(world: World, region: string, at: number): number {
  // Without a limit there is no need to go through all rentals on every create.
  if (world.settings.capacity === Number.POSITIVE_INFINITY) return 0;
  let gpus = 0;
  for (const rental of world.store.rentals.values()) {
    if (rental.region === region && isPresent(phaseAt(rental.life, at))) gpus += rental.gpuCount;
  }
  return gpus;
}

function priceOf(request: RentalRequest, at: number): PriceFacts {
  const perHour = roundUsd(gpuPrices[request.gpuType] * request.gpuCount);
  if (request.termType === "on-demand") return flatPrice(perHour);
  const days = request.termPeriodDays ?? defaultTermDays;
  const percentage = request.discountPercentage;
  if (!(days > 0 && days <= longestTermDays)) {
    throw new Refusal(400, `termPeriodDays: must be more than 0 and at most ${longestTermDays}`);
  }
  // The interface gives no range, so that any number will do; but nobody is paid for renting.
  const discounted = roundUsd(Math.max(0, perHour * (1 - percentage / 100)));
  return { perHour, discounted: { perHour: discounted, percentage, days, until: at + days * dayMs } };
}

export function endRental(world: World, call: Call, kind: RentalFacts["kind"], id: number): { message: string } {
  const rental = own(call, world.store.rentals.get(id));
  if (rental?.kind !== kind) throw new Refusal(404, "rental not found");
  if (isEnding(phaseAt(rental.life, call.at))) throw new Refusal(400, "already terminated");
  const life = end(rental.life, call.at, world.settings.endMs);
  world.store.commit({ kind: "rental", record: { ...rental, life } });
  return { message: `rental ${id} is being terminated` };
}

/** The rentals of a kind that a list shows. */
export function* listedRentals(world: World, call: Call, kind: RentalFacts["kind"]): Generator<RentalFacts> {
  for (const rental of world.store.rentals.values()) {
    if (rental.kind !== kind || !own(call, rental)) continue;
    // A failed VM stays listed: its termination time is the only sign of the failure.
    const failed = endsByFailing(rental.life) && phaseAt(rental.life, call.asOf) === "ended";
    if (failed || isListed(world, rental.life, call.asOf)) yield rental;
  }
}
