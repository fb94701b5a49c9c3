import type { z } from "zod";
import type { createBareMetalRentalRequest } from "../../provider/service";
import { type Call, type Fact, type RentalFacts, statusAt, type World } from "../state";
import { userOf } from "./account";
import { attachedStorage, attachments } from "./attachment";
import { openRentalSsh } from "./machineSsh";
import { inTerm } from "./price";
import { timestamp } from "./record";
import { listedRentals, newRental } from "./rental";
import { formFactorOf, nodesOf, rentalRecord } from "./rentalRecord";
import { getLiveStorageVolume, newStorageVolume } from "./storageVolume";

type Request = z.output<typeof createBareMetalRentalRequest>;

export async function createBareMetalRental(world: World, call: Call, request: Request) {
  const rental = newRental(world, call, "bare-metal", request);
  world.store.commit({ kind: "rental", record: rental }, ...storageFacts(world, call, request, rental));
  const opened = await openRentalSsh(world, rental);
  const storage = attachedStorage(world, rental.id, call.at);
  return Object.assign(rentalRecord(world, opened, call.at), { meta: metaOf(opened, storage) });
}

/** The volume of the request, and its attachment. */
function storageFacts(world: World, call: Call, { storageVolume }: Request, rental: RentalFacts): Fact[] {
  if (!storageVolume) return [];
  if (storageVolume.isNew) {
    const volume = newStorageVolume(world, call, { ...storageVolume, region: rental.region, fails: false });
    return [{ kind: "storageVolume", record: volume }, ...attachments(world, call, volume, [rental])];
  }
  return attachments(world, call, getLiveStorageVolume(world, call, storageVolume.id), [rental]);
}

export function listBareMetalRentals(world: World, call: Call) {
  return Array.from(listedRentals(world, call, "bare-metal"), (rental) => activeRecord(world, rental, call.asOf));
}

function activeRecord(world: World, rental: RentalFacts, at: number) {
  const storage = attachedStorage(world, rental.id, at);
  // Spreading a record this wide is slow: a list of 2,000 took three times as long.
  return Object.assign(rentalRecord(world, rental, at), {
    meta: metaOf(rental, storage),
    currentTerm: termAt(world, rental, at),
    attachedStorage: storage,
    gpuFormFactor: formFactorOf(rental),
    nodes: nodesOf(rental),
    connectionType: rental.networkType,
    ...(rental.networkType === "ethernet" ? { ethernetVariant: "rocev2" } : {}),
    createdBy: userOf(rental.account),
    supportsFeature: { attachedStorage: true },
    status: statusAt("bare-metal", rental.life, at),
  });
}

function metaOf(rental: RentalFacts, storage: ReturnType<typeof attachedStorage>) {
  return { monitoring_enabled: rental.monitoringEnabled, rental_type: rental.kind, attached_storage: storage };
}

function termAt(world: World, rental: RentalFacts, at: number) {
  const { perHour, discounted } = rental.price;
  if (discounted && inTerm(rental.price, at)) {
    return {
      termType: "reserved" as const,
      effectiveAt: timestamp(world, rental.life.createdAt),
      costPerHour: discounted.perHour,
      reservedUntil: timestamp(world, discounted.until),
      reservationEndsAt: timestamp(world, discounted.until),
      termPeriodDays: discounted.days,
      discountPercentage: discounted.percentage,
      originalCostPerHour: perHour,
    };
  }
  return {
    termType: "on-demand" as const,
    effectiveAt: timestamp(world, discounted?.until ?? rental.life.createdAt),
    costPerHour: perHour,
    reservedUntil: null,
    reservationEndsAt: null,
    termPeriodDays: null,
    discountPercentage: null,
    originalCostPerHour: null,
  };
}
