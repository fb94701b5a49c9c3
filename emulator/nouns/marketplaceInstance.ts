import type { z } from "zod";
import type { createMarketplaceInstanceRequest } from "../../provider/service";
import { count } from "../../provider/shared/count";
import { seededHex } from "../random";
import { Refusal } from "../refusal";
import {
  answersToSsh,
  begin,
  type Call,
  end,
  isEnding,
  type MarketplaceInstanceFacts,
  phaseAt,
  statusAt,
  type World,
} from "../state";
import { own } from "./account";
import { refuseWithoutFunds } from "./billing";
import { refuseBrokenGpuCount } from "./gpuCount";
import { newSsh, openInstanceSsh } from "./machineSsh";
import { freeGpus, type Machine, priceRecord } from "./marketplaceMachine";
import { flatPrice, roundUsd } from "./price";
import { isListed, timesOf } from "./record";

type Request = z.output<typeof createMarketplaceInstanceRequest>;

export async function createMarketplaceInstance(
  world: World,
  call: Call,
  machines: ReadonlyMap<string, Machine>,
  request: Request,
) {
  const instance = newInstance(world, call, getMachine(machines, request), request);
  world.store.commit({ kind: "marketplaceInstance", record: instance });
  await openInstanceSsh(world, instance);
  const { createdAs } = world.dialect.marketplace;
  // Of the two names only one is known to any other operation.
  if (createdAs === "several") return { id: world.store.marketplaceInstances.size, instance_name: instance.id };
  return { status: "success", [createdAs]: instance.id };
}

function getMachine(machines: ReadonlyMap<string, Machine>, request: Request): Machine {
  const machine = machines.get(request.node_name);
  if (!machine) throw new Refusal(400, `node_name: node ${request.node_name} not found`);
  if (machine.clusterName !== request.cluster_name) {
    throw new Refusal(400, `cluster_name: node ${machine.id} is in ${machine.clusterName}`);
  }
  return machine;
}

function newInstance(world: World, call: Call, machine: Machine, request: Request): MarketplaceInstanceFacts {
  refuseWithoutFunds(world, call);
  const gpuCount = request.gpu_count;
  refuseBrokenGpuCount("gpu_count", gpuCount);
  const free = freeGpus(world, machine, call.at);
  if (gpuCount > free) {
    throw new Refusal(400, `gpu_count: ${count(gpuCount, "GPU")} not available on node ${machine.id}, ${free} free`);
  }
  const { image } = request;
  return {
    id: `instance-${seededHex(10, world.settings.seed, "instance", world.store.marketplaceInstances.size)}`,
    account: call.account,
    nodeName: machine.id,
    clusterName: machine.clusterName,
    gpuCount,
    gpusTotal: machine.gpusTotal,
    gpuModel: machine.gpu.model,
    image: image ? { name: image.name, tag: image.tag, port: image.port } : null,
    price: flatPrice(machine.price * gpuCount),
    ssh: newSsh(call),
    life: begin(call.at, world.settings.provisionMs, call.faults.failProvisioning),
  };
}

export function terminateMarketplaceInstance(
  world: World,
  call: Call,
  id: string,
): { status: string; message: string; error_code: null } | Response {
  const instance = own(call, world.store.marketplaceInstances.get(id));
  if (!instance) throw new Refusal(404, "instance not found");
  if (isEnding(phaseAt(instance.life, call.at))) throw new Refusal(400, "already terminated");
  world.store.commit({
    kind: "marketplaceInstance",
    record: { ...instance, life: end(instance.life, call.at, world.settings.endMs) },
  });
  if (world.dialect.endAnswer === "nothing") return new Response(null, { status: 204 });
  return { status: "success", message: `instance ${id} is being terminated`, error_code: null };
}

export function listMarketplaceInstances(
  world: World,
  call: Call,
): { instances: ReturnType<typeof instanceRecord>[] } | Response {
  const listed = [...world.store.marketplaceInstances.values()].filter(
    (instance) => own(call, instance) && isListed(world, instance.life, call.asOf),
  );
  const instances = listed.map((instance) => instanceRecord(world, instance, call.asOf));
  return world.dialect.marketplace.lists === "plain" ? Response.json(instances) : { instances };
}

export function instanceStatus(world: World, instance: MarketplaceInstanceFacts, at: number): string {
  const status = statusAt("marketplace-instance", instance.life, at);
  const { readyStatus, startingStatus } = world.dialect.marketplace;
  if (status === "starting") return startingStatus;
  return status === "running" ? readyStatus : status;
}

function instanceRecord(world: World, instance: MarketplaceInstanceFacts, at: number) {
  const { createdAt, startedAt, endedAt } = timesOf(world, instance.life, at);
  const { host, port, user } = world.ssh.endpoint(instance.id, instance);
  // With the fault `no-ssh` it still has its address: only a connection shows that nobody answers.
  const reachable = answersToSsh({ ...instance, ssh: { ...instance.ssh, delayMs: 0 } }, at);
  const served = instance.image?.port;
  return {
    id: instance.id,
    created: createdAt,
    start: startedAt,
    end: endedAt,
    sshCommand: reachable ? `ssh ${user}@${host} -p ${port}` : null,
    portMappings: served === undefined ? [] : [{ domain: host, protocol: "http", port: served }],
    instance: {
      status: instanceStatus(world, instance, at),
      gpu_count: instance.gpuCount,
      gpus_total: instance.gpusTotal,
      owner: null,
      hardware: hardwareOf(instance),
      pricing: pricePerGpu(instance),
      node_name: instance.nodeName,
      cluster_name: instance.clusterName,
    },
  };
}

export function getMarketplaceHistory(
  world: World,
  call: Call,
): { instance_history: ReturnType<typeof historyRecord>[] } | Response {
  const ended = [...world.store.marketplaceInstances.values()].filter(
    (instance) => own(call, instance) && phaseAt(instance.life, call.asOf) === "ended",
  );
  const history = ended.map((instance) => historyRecord(world, call, instance));
  return world.dialect.marketplace.lists === "plain" ? Response.json({ history }) : { instance_history: history };
}

function historyRecord(world: World, call: Call, instance: MarketplaceInstanceFacts) {
  const { createdAt, endedAt } = timesOf(world, instance.life, call.asOf);
  return {
    instance_name: instance.id,
    started_at: createdAt,
    terminated_at: endedAt,
    price: pricePerGpu(instance),
    hardware: hardwareOf(instance),
    gpu_count: instance.gpuCount,
  };
}

function hardwareOf({ gpuCount, gpuModel }: MarketplaceInstanceFacts) {
  return { gpus: Array.from({ length: gpuCount }, () => ({ model: gpuModel })) };
}

function pricePerGpu({ price, gpuCount }: MarketplaceInstanceFacts) {
  return priceRecord(roundUsd(price.perHour / gpuCount));
}
