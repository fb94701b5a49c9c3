import { type gpuFormFactors, gpusPerNode, type gpuTypes } from "../../provider/service";
import type { RentalFacts, World } from "../state";
import { userOf } from "./account";
import { inTerm } from "./price";
import { timesOf, timestamp } from "./record";

const node = { cpuModel: "Emulated 64-core", ramGb: 2048, storageGb: 30_720, cpuCount: 128 };

const formFactors: Record<(typeof gpuTypes)[number], (typeof gpuFormFactors)[number]> = {
  h100: "sxm5",
  h200: "sxm5",
  b200: "sxm6",
};

export function formFactorOf(rental: RentalFacts) {
  return formFactors[rental.gpuType];
}

export function nodesOf(rental: RentalFacts) {
  const count = Math.ceil(rental.gpuCount / gpusPerNode);
  return Array.from({ length: count }, () => ({ ...node, gpuCount: gpusPerNode }));
}

/** The documented fields of every rental record. */
export function rentalRecord(world: World, rental: RentalFacts, at: number) {
  const { life } = rental;
  const { createdAt, startedAt, endedAt } = timesOf(world, life, at);
  const moments = [life.readyAt, life.endsFrom, life.endedAt];
  const changes = moments.flatMap((moment) => (moment !== null && moment <= at ? moment : []));
  return {
    id: rental.id,
    createdAt,
    updatedAt: changes.length === 0 ? null : timestamp(world, Math.max(...changes)),
    deletedAt: null,
    userId: userOf(rental.account).id,
    orgId: null,
    startedAt,
    terminatedAt: endedAt,
    externalId: `emulated-rental-${rental.id}`,
    rentalId: `rental-${rental.id}`,
    providerData: providerData(world, rental),
    rentalType: rental.kind,
    name: null,
    label: rental.label,
    region: rental.region,
    convertToOnDemandOnExpiry:
      rental.convertToOnDemandOnExpiry && (world.dialect.withoutTerm === "as asked" || inTerm(rental.price, at)),
    managedK8sClusterId: null,
    gpuType: rental.gpuType,
    gpuCount: rental.gpuCount,
  };
}

function providerData(world: World, rental: RentalFacts) {
  const share = rental.gpuCount / gpusPerNode;
  return {
    providerId: "mock" as const,
    sshNetworking: [world.ssh.endpoint(rental.id, rental)],
    networkType: rental.networkType,
    gpuFormFactor: formFactorOf(rental),
    ...(rental.customPorts.length > 0 ? { customPorts: rental.customPorts } : {}),
    resources: {
      cpuModel: node.cpuModel,
      gpuCount: rental.gpuCount,
      ramGb: node.ramGb * share,
      storageGb: node.storageGb * share,
      vcpuCount: node.cpuCount * share,
    },
  };
}
