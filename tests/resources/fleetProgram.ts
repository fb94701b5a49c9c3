/** The resources that a GpuFleet registers, for the tests of its gate, its limit and its members. */
import { FakeEngine, type Program } from "../lifecycle/fakeEngine";
import { createRig, type Rig, type RigOptions } from "../lifecycle/rig";

const types = { "bare-metal": "BareMetalRental", vm: "VmRental" } as const;
export const spec = { "bare-metal": { networkType: "infiniband", gpuCount: 8 }, vm: { gpuCount: 1 } } as const;

interface Fleet {
  kind?: keyof typeof types;
  count: number;
  /** As `GpuFleet` hands it to the gate and, hidden, to every member. */
  maxCostPerHour?: number;
  /** Inputs of the gate. */
  gate?: object;
  /** Inputs of every member. */
  member?: object;
}

/** What a GpuFleet registers: members that do not wait, and the gate. */
export function fleet({ kind = "bare-metal", count, maxCostPerHour, gate = {}, member = {} }: Fleet): Program {
  const names = Array.from({ length: count }, (_, index) => `train-${index}`);
  const limit = maxCostPerHour === undefined ? {} : { __fleet: { count, maxCostPerHour } };
  const inputs = { ...spec[kind], ...member, ...limit, waitForReady: false };
  return {
    ...Object.fromEntries(names.map((name) => [name, { type: types[kind], inputs }])),
    "train-ready": {
      type: "FleetReady",
      inputs: (ids) => ({ kind, rentals: names.map((name) => ({ name, id: ids[name] })), maxCostPerHour, ...gate }),
    },
  };
}

export function begin(options: RigOptions = {}): { rig: Rig; stack: FakeEngine } {
  const rig = createRig(options);
  return { rig, stack: new FakeEngine(rig) };
}

export const gateOf = (stack: FakeEngine) => stack.get("train-ready");
export const price = 19.92;
