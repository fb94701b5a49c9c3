import { attachable, type FleetMember, toFleetMember, writeInventory, writeSshConfig } from "../../sdk/fleetMember";

const member = (index: number, fields: Partial<FleetMember> = {}): FleetMember => ({
  name: `train-${index}`,
  rentalId: 1001 + index,
  status: "Running",
  region: index % 2 === 0 ? "us-central-1" : "eu-west-3",
  ssh: [{ host: `10.0.0.${index + 1}`, port: 22, user: "ubuntu" }],
  ...fields,
});

describe("A member of a fleet", () => {
  test("has its rental's id as a number", () => {
    const facts = { name: "train-0", id: "1001", status: "Running", wasReady: true, costPerHour: 19.92 };
    expect(toFleetMember(facts)).toEqual({
      name: "train-0",
      rentalId: 1001,
      status: "Running",
      costPerHour: 19.92,
    });
  });

  test.each([
    ["it was ready, whatever its status is now", { status: "Unknown", wasReady: true }, [1001, 1002]],
    ["it is ready, in the service's own spelling", { status: "running", wasReady: true }, [1001, 1002]],
    ["not where it is over", { status: "Running", wasReady: false }, [1001]],
    ["it runs, by the state of an older version", { status: "Running" }, [1001, 1002]],
    ["not where it does not, by such a state", { status: "Pending" }, [1001]],
  ])("gets the shared volume where %s", (_, facts, ids) => {
    const first = { name: "train-0", id: "1001", status: "Running", wasReady: true };
    expect(attachable([first, { name: "train-1", id: "1002", ...facts }])).toEqual(ids);
  });

  test("gets the shared volume where nobody knows of any that is ready", () => {
    expect(attachable([{ name: "train-0", id: "1001", status: "not listed", wasReady: false }])).toEqual([1001]);
  });
});

describe("The ssh config of a fleet", () => {
  test("has a host for each member", () => {
    expect(
      writeSshConfig("train", "VmRental", [
        member(0),
        member(1, { ssh: [{ host: "gpu.example", port: 31022, user: "root" }] }),
      ]),
    ).toBe(
      [
        "# GpuFleet train",
        "",
        "Host train-0",
        "  HostName 10.0.0.1",
        "  Port 22",
        "  User ubuntu",
        "  HostKeyAlias gpufleet-vmrental-1001-10.0.0.1-22",
        "  StrictHostKeyChecking accept-new",
        "",
        "Host train-1",
        "  HostName gpu.example",
        "  Port 31022",
        "  User root",
        "  HostKeyAlias gpufleet-vmrental-1002-gpu.example-31022",
        "  StrictHostKeyChecking accept-new",
        "",
      ].join("\n"),
    );
  });

  test("names the further nodes of a member after it", () => {
    const ssh = [1, 2, 3].map((node) => ({ host: `10.0.0.${node}`, port: 22, user: "ubuntu" }));
    const hosts = writeSshConfig("train", "VmRental", [member(0, { ssh })]).match(/^Host .*/gm);
    expect(hosts).toEqual(["Host train-0", "Host train-0-node-1", "Host train-0-node-2"]);
  });

  test.each([
    ["a host", { host: "h\nProxyCommand rm -rf /", port: 22, user: "ubuntu" }],
    ["a user", { host: "10.0.0.1", port: 22, user: "root\n  ProxyCommand x" }],
    ["a port", { host: "10.0.0.1", port: 70000, user: "root" }],
  ])("takes nothing from the service that is more than %s", (_, endpoint) => {
    const text = writeSshConfig("train", "VmRental", [member(0, { ssh: [endpoint] })]);
    expect(text).toBe("# GpuFleet train\n\n# train-0 has no ssh address");
  });
});

describe("The inventory of a fleet", () => {
  test("is a group for the fleet and one per region", () => {
    expect(writeInventory("train", [member(0), member(1), member(2)])).toBe(
      [
        "[train]",
        "train-0 ansible_host=10.0.0.1 ansible_port=22 ansible_user=ubuntu region=us-central-1",
        "train-1 ansible_host=10.0.0.2 ansible_port=22 ansible_user=ubuntu region=eu-west-3",
        "train-2 ansible_host=10.0.0.3 ansible_port=22 ansible_user=ubuntu region=us-central-1",
        "",
        "[train_eu_west_3]",
        "train-1",
        "",
        "[train_us_central_1]",
        "train-0",
        "train-2",
        "",
      ].join("\n"),
    );
  });

  test("has group names that Ansible takes", () => {
    expect(writeInventory("8-node fleet", [member(0)])).toContain("[_8_node_fleet]\n");
  });

  test("says which members have no address, as a comment", () => {
    expect(writeInventory("train", [member(0), { name: "train-1", rentalId: 1002, status: "Pending" }])).toContain(
      "# train-1 has no ssh address\n",
    );
  });

  test("takes a region only if it is a plain word", () => {
    expect(writeInventory("train", [member(0, { region: "x ansible_connection=local" })])).not.toContain("local");
  });
});
