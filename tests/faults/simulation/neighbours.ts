import type { Transport, TransportRequest } from "../../../provider/client";
import { whereKey } from "../../../provider/lifecycle";
import { marksOf, readLabel } from "../../../provider/shared/label";
import { FakeEngine } from "../../lifecycle/fakeEngine";
import { key, type Rig } from "../../lifecycle/rig";
import { member, parse } from "./answers";
import { resourceName } from "./program";
import { purposeOf } from "./requests";
import { chosenLabelOf, inlineLabelOf, type MarketplaceMachine } from "./resourceKinds";

/** Somebody has machines that are chosen to be mistaken for this stack's by whoever does not look closely. */
export async function addForeignMachines(rig: Rig, stack: FakeEngine, machine: MarketplaceMachine): Promise<void> {
  const { client } = rig;
  const name = resourceName(0);
  const marks = marksOf({ organization: "organization", urn: stack.urn("BareMetalRental", name), namespace: "" });
  const bareMetal = { networkType: "infiniband" as const, gpuCount: 8 };
  await rig.run(
    Promise.all([
      client.createBareMetalRental({ ...bareMetal, label: name }),
      client.createBareMetalRental(bareMetal),
      client.createBareMetalRental({ ...bareMetal, label: chosenLabelOf(name) }),
      // Our marks, but nothing that we ever made.
      client.createBareMetalRental({ ...bareMetal, label: `${name}-${marks.stack}-${marks.resource}` }),
      client.createVmRental({ gpuCount: 1, label: name }),
      client.createStorageVolume({ region: "us-central-1", sizeInGb: 256, label: inlineLabelOf(name) }),
      client.createMarketplaceInstance(instanceOn(machine)),
    ]),
  );
}

/** Two stacks of the same project with other names, and resources of the same names. */
export async function startNeighbours(rig: Rig): Promise<FakeEngine[]> {
  const neighbours = ["tes", "test-2"].map((name) => new FakeEngine(rig, { stack: name }));
  const inputs = { networkType: "infiniband", gpuCount: 8, waitForReady: false };
  for (const stack of neighbours) {
    const { errors } = await stack.up({ [resourceName(0)]: { type: "BareMetalRental", inputs } });
    if (Object.keys(errors).length > 0) throw new Error(`a neighbour did not come up: ${JSON.stringify(errors)}`);
  }
  return neighbours;
}

/** More than a schedule ever makes, from the first that the service gives. */
const idsElsewhere = 300;

/**
 * Another stack of the backend that rents from another service, which counts its ids from the same number. What it has says so by
 * its address; or, where an older version wrote it, only by its label.
 */
export function holdSameIdsElsewhere(rig: Rig): FakeEngine {
  const stack = new FakeEngine(rig, { stack: "far" });
  const far = { [whereKey]: { address: "https://far.example" } };
  for (const [type, first] of [
    ["BareMetalRental", 1000] as const,
    ["VmRental", 1000] as const,
    ["StorageVolume", 0] as const,
  ]) {
    for (let id = first; id < first + idsElsewhere; id += 1) {
      const name = `${type}-${id}`;
      const outputs = id % 2 === 0 ? far : { label: "theirs" };
      stack.state.set(name, { name, type, id: String(id), inputs: {}, outputs });
    }
  }
  return stack;
}

/** Somebody rents what looks like the resource of this name, if nothing but an automatic label tells them apart. */
export async function rentLookalikes(rig: Rig, name: string, machine: MarketplaceMachine): Promise<void> {
  const { client } = rig;
  const bareMetal = { networkType: "infiniband" as const, gpuCount: 8, label: chosenLabelOf(name) };
  await rig.run(
    Promise.allSettled([
      client.createBareMetalRental(bareMetal),
      client.createStorageVolume({ region: "us-central-1", sizeInGb: 512, label: inlineLabelOf(name) }),
      client.createMarketplaceInstance(instanceOn(machine)),
    ]),
  );
}

/** A service in which somebody rents the same, just before or just after us, where no automatic label tells them apart. */
export function withLookalikes(rig: Rig, transport: Transport): Transport {
  let count = 0;
  return async (request) => {
    if (purposeOf(request) !== "create" || isOurs(parse(request.body ?? ""))) return transport(request);
    count += 1;
    if (count % 2 === 1) await imitate(rig, request);
    const answer = await transport(request);
    if (count % 2 === 0) await imitate(rig, request);
    return answer;
  };
}

function isOurs(asked: unknown): boolean {
  const label = member(asked, "label");
  return typeof label === "string" && readLabel(label) !== undefined;
}

/** Somebody sends the same request. An automatic label is nobody else's, nor is a volume: they have none. */
export async function imitate({ emulator, clock }: Rig, { method, url, body }: TransportRequest): Promise<void> {
  const asked = Object(parse(body ?? ""));
  if (member(asked.storageVolume, "isNew") === false) delete asked.storageVolume;
  const own = isOurs(asked) ? { label: "somebodys-own" } : {};
  await clock.working(async () => {
    const answer = await emulator.inject({
      method,
      url,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ ...asked, ...own }),
    });
    for await (const _ of answer.body);
  });
}

function instanceOn({ clusterName, nodeName }: MarketplaceMachine) {
  return { cluster_name: clusterName, node_name: nodeName, gpu_count: 1 };
}
