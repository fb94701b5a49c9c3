import { chooseHost, machinesIn } from "../../../cli/ssh";
import { parseState } from "../../../cli/stack";

const type = (name: string) => `pulumi-nodejs:dynamic/gpufleet:${name}`;
const resource = (kind: string, name: string, id: string, outputs: object, more: object = {}) => ({
  urn: `urn:pulumi:dev::demo::${type(kind)}::${name}`,
  type: type(kind),
  custom: true,
  id,
  outputs,
  ...more,
});
const at = (...hosts: string[]) => ({ ssh: hosts.map((host) => ({ host, port: 22, user: "ubuntu" })) });
const machinesOf = (...resources: object[]) =>
  machinesIn(parseState(JSON.stringify({ version: 3, deployment: { resources } })));

const machines = machinesOf(
  resource("BareMetalRental", "train", "1001", { ...at("10.0.0.1", "10.0.0.2"), label: "train-label" }),
  resource("VmRental", "dev", "1002", at("10.0.0.3")),
  resource("VmRental", "dark", "1003", {}),
  resource("StorageVolume", "data", "7", at("10.0.0.9")),
);
const choose = (wanted: string, node?: number) => chooseHost(machines, "demo/dev", wanted, node).host;

describe("The machines of a stack", () => {
  test("are what can be logged in to; the first node has the name", () => {
    expect(machines.flatMap(({ hosts }) => hosts.map(({ name }) => name))).toEqual(["train", "train-node-1", "dev"]);
    expect(machines.map(({ name }) => name)).toEqual(["train", "dev", "dark"]);
  });

  test("have the address that the gate of their fleet has seen, where they have none themselves", () => {
    const members = [{ name: "fleet-0", id: "1001", status: "Running", ...at("10.0.0.1") }];
    const found = machinesOf(
      resource("VmRental", "fleet-0", "1001", {}),
      resource("FleetReady", "fleet-ready", "fleet-ready", { members }),
    );
    expect(found.flatMap(({ hosts }) => hosts)).toMatchObject([{ name: "fleet-0", host: "10.0.0.1" }]);
  });

  test("do not include one that is replaced already, and two of one name are told apart", () => {
    const found = machinesOf(
      resource("VmRental", "dev", "1", at("10.0.0.1"), { delete: true }),
      resource("VmRental", "dev", "2", at("10.0.0.2")),
      resource("BareMetalRental", "dev", "3", at("10.0.0.3")),
    );
    expect(found.map(({ name, id }) => `${name} ${id}`)).toEqual(["dev 2", "dev-3 3"]);
  });
});

describe("A machine is chosen", () => {
  test.each([
    ["its name", "train", undefined, "10.0.0.1"],
    ["its id", "1002", undefined, "10.0.0.3"],
    ["its label", "train-label", undefined, "10.0.0.1"],
    ["a node behind its name", "train/2", undefined, "10.0.0.2"],
    ["a node apart", "train", 2, "10.0.0.2"],
    ["the name of a host", "train-node-1", undefined, "10.0.0.2"],
  ])("by %s", (_, wanted, node, host) => {
    expect(choose(wanted, node)).toBe(host);
  });

  test.each([
    ["trian", undefined, 'stack demo/dev has no machine "trian". Did you mean train?'],
    ["something", undefined, 'stack demo/dev has no machine "something". It has: train, dev, dark.'],
    ["train/3", undefined, 'BareMetalRental "train" has no node 3: it has 2 nodes, from 1 to 2.'],
    ["dev", 2, 'VmRental "dev" has no node 2: it has 1 node.'],
    ["dark", undefined, 'the state has no ssh address of VmRental "dark". `pulumi refresh` updates it.'],
  ])("or it is said why %s is none", (wanted, node, message) => {
    expect(() => choose(wanted, node)).toThrow(message);
  });

  test("or it is said that there are none", () => {
    expect(() => chooseHost([], "demo/dev", "train")).toThrow(
      "stack demo/dev has no machines. `pulumi up` rents them.",
    );
  });
});
