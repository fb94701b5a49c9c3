import type { z } from "zod";
import type { createMarketplaceInstanceRequest } from "../../provider/service";
import { seededHex } from "../random";
import { Refusal } from "../refusal";
import type { Call, InstanceFacts, World } from "../state";
import { answersToSsh, begin, end, isPresent, phaseAt, sshEndpoint, statusAt } from "../state";
import { formatTimestamp } from "../timestamp";
import { refuseWithoutFunds } from "./billing";
import { freeGpus, type Machine, priceRecord } from "./marketplaceMachine";
import { flatPrice, perHourAt, roundUsd } from "./price";

type Request = z.output<typeof createMarketplaceInstanceRequest>;

export async function createMarketplaceInstance(
  world: World,
  call: Call,
  machines: ReadonlyMap<string, Machine>,
  request: Request,
) {
  const instance = newInstance(world, call, getMachine(machines, request), request);
  world.store.commit({ of: "instance", is: instance });
  await openSsh(world, instance.id);
  return { status: "success", [world.dialect.marketplace.createdAs]: instance.id };
}

function getMachine(machines: ReadonlyMap<string, Machine>, request: Request): Machine {
  const machine = machines.get(request.node_name);
  if (!machine) throw new Refusal(400, `node_name: node ${request.node_name} not found`);
  if (machine.clusterName !== request.cluster_name) {
    throw new Refusal(400, `cluster_name: node ${machine.id} is in ${machine.clusterName}`);
  }
  return machine;
}

function newInstance(world: World, call: Call, machine: Machine, request: Request): InstanceFacts {
  refuseWithoutFunds(world, call.at);
  const gpuCount = request.gpu_count;
  if (!Number.isInteger(gpuCount) || gpuCount < 1) {
    throw new Refusal(400, `gpu_count: ${gpuCount} is not a whole number of GPUs`);
  }
  const free = freeGpus(world, machine, call.at);
  if (gpuCount > free) {
    throw new Refusal(400, `gpu_count: ${gpuCount} GPUs are not available on node ${machine.id}, ${free} are`);
  }
  const { image } = request;
  return {
    id: `instance-${seededHex(10, world.settings.seed, "instance", world.store.instances.size)}`,
    nodeName: machine.id,
    clusterName: machine.clusterName,
    gpuCount,
    gpusTotal: machine.gpusTotal,
    gpuModel: machine.gpu.model,
    image: image ? { name: image.name, tag: image.tag, port: image.port } : null,
    price: flatPrice(machine.price * gpuCount),
    ssh: { port: null, delayMs: call.faults.sshDelayMs },
    life: begin(call.at, world.settings.provisionMs, call.faults.failProvisioning),
  };
}

export async function openSsh(world: World, id: string): Promise<void> {
  const port = await world.ssh.open(`instance ${id}`, () => world.store.instances.get(id));
  const instance = world.store.instances.get(id);
  if (!instance || port === instance.ssh.port) return;
  world.store.commit({ of: "instance", is: { ...instance, ssh: { ...instance.ssh, port } } });
}

export function terminateMarketplaceInstance(world: World, call: Call, id: string) {
  const instance = world.store.instances.get(id);
  if (!instance) throw new Refusal(404, "instance not found");
  const phase = phaseAt(instance.life, call.at);
  if (phase === "ending" || phase === "ended") throw new Refusal(400, "already terminated");
  world.store.commit({ of: "instance", is: { ...instance, life: end(instance.life, call.at, world.settings.endMs) } });
  return { status: "success", message: `instance ${id} is being terminated`, error_code: null };
}

export function listMarketplaceInstances(world: World, call: Call) {
  const listed = [...world.store.instances.values()].filter(({ life }) => {
    const phase = phaseAt(life, call.asOf);
    return isPresent(phase) || (phase === "ended" && world.dialect.keepsEnded);
  });
  return { instances: listed.map((instance) => instanceRecord(world, instance, call.asOf)) };
}

export function instanceStatus(world: World, instance: InstanceFacts, at: number): string {
  const status = statusAt("marketplace-instance", instance.life, at);
  return status === "running" ? world.dialect.marketplace.readyStatus : status;
}

function instanceRecord(world: World, instance: InstanceFacts, at: number) {
  const { life, gpuCount } = instance;
  const time = (milliseconds: number) => formatTimestamp(milliseconds, world.dialect.timestamps);
  const { host, port, user } = sshEndpoint(instance.id, instance);
  // A machine that is never to answer still has its address: only connecting tells.
  const reachable = answersToSsh({ ...instance, ssh: { ...instance.ssh, delayMs: 0 } }, at);
  const served = instance.image?.port;
  return {
    id: instance.id,
    created: time(life.createdAt),
    start: at >= life.readyAt && !life.fails ? time(life.readyAt) : null,
    end: phaseAt(life, at) === "ended" && life.endedAt !== null ? time(life.endedAt) : null,
    sshCommand: reachable ? `ssh ${user}@${host} -p ${port}` : null,
    portMappings: served === undefined ? [] : [{ domain: host, protocol: "http", port: served }],
    instance: {
      status: instanceStatus(world, instance, at),
      gpu_count: gpuCount,
      gpus_total: instance.gpusTotal,
      owner: null,
      hardware: { gpus: Array.from({ length: gpuCount }, () => ({ model: instance.gpuModel })) },
      pricing: priceRecord(roundUsd(perHourAt(instance.price, at) / gpuCount)),
      node_name: instance.nodeName,
      cluster_name: instance.clusterName,
    },
  };
}

export function getMarketplaceHistory(world: World, call: Call) {
  const ended = [...world.store.instances.values()].filter(({ life }) => phaseAt(life, call.asOf) === "ended");
  const time = (milliseconds: number | null) =>
    milliseconds === null ? null : formatTimestamp(milliseconds, world.dialect.timestamps);
  return {
    instance_history: ended.map(({ id, life, price, gpuCount, gpuModel }) => ({
      instance_name: id,
      started_at: time(life.createdAt),
      terminated_at: time(life.endedAt),
      price: priceRecord(roundUsd(price.perHour / gpuCount)),
      hardware: { gpus: Array.from({ length: gpuCount }, () => ({ model: gpuModel })) },
      gpu_count: gpuCount,
    })),
  };
}
