import { viewOfVm } from "../../provider/resources/vmRental/record";
import { readableVmRental } from "../../provider/service";
import { FakeEngine } from "../lifecycle/fakeEngine";
import { createRig, paths } from "../lifecycle/rig";
import { answering, changingList, intercepting, live } from "../lifecycle/wire";
import { type Change, subjectOf } from "./decisions";

const { accept, decide, properties, reasons } = subjectOf("VmRental");
const base = { gpuCount: 1 };
const running = { status: "Running" };
const ports = { customPorts: [80, 443] };

const changes: Record<string, Change[]> = {
  gpuCount: [{ to: { gpuCount: 2 }, becomes: "replace" }],
  networkType: [
    { to: { networkType: "ethernet" }, becomes: "nothing" },
    { to: { networkType: "infiniband" }, becomes: "replace" },
  ],
  region: [
    { to: { region: "us-central-1" }, becomes: "nothing" },
    { to: { region: "eu-north-2" }, becomes: "replace" },
    { from: { region: "eu-north-2" }, to: { fallbackRegions: ["eu-north-2"] }, becomes: "update" },
  ],
  gpuType: [
    { to: { gpuType: "h100" }, becomes: "nothing" },
    { to: { gpuType: "h200" }, becomes: "replace" },
  ],
  label: [{ to: { label: "mine" }, becomes: "replace" }],
  termType: [
    { to: { termType: "on-demand" }, becomes: "nothing" },
    { to: { termType: "reserved" }, becomes: "replace" },
  ],
  termPeriodDays: [{ to: { termPeriodDays: 30 }, becomes: "replace" }],
  discountPercentage: [
    { to: { discountPercentage: 0 }, becomes: "nothing" },
    { to: { discountPercentage: 5 }, becomes: "replace" },
  ],
  monitoringEnabled: [{ to: { monitoringEnabled: false }, becomes: "replace" }],
  convertToOnDemandOnExpiry: [
    { to: { convertToOnDemandOnExpiry: true }, becomes: "nothing" },
    { to: { convertToOnDemandOnExpiry: false }, becomes: "replace" },
  ],
  customPorts: [
    { to: { customPorts: [] }, becomes: "nothing" },
    { from: ports, to: { customPorts: [443, 80, 80] }, becomes: "nothing" },
    { from: ports, to: { customPorts: [80] }, becomes: "replace" },
    { from: ports, to: {}, becomes: "replace" },
  ],
  waitForReady: [{ to: { waitForReady: false }, becomes: "update" }],
  timeouts: [{ to: { timeouts: { delete: 60 } }, becomes: "update" }],
  waitForGpus: [{ to: { waitForGpus: true }, becomes: "update" }],
  waitForSsh: [{ to: { waitForSsh: true }, becomes: "update" }],
  maxCostPerHour: [{ to: { maxCostPerHour: 5 }, becomes: "update" }],
  expiresAt: [{ to: { expiresAt: "2030-01-01T00:00:00Z" }, becomes: "update" }],
  adoptId: [{ to: { adoptId: 1001 }, becomes: "nothing" }],
  fallbackRegions: [{ to: { fallbackRegions: ["us-east-1"] }, becomes: "update" }],
};

describe("A change of a virtual-machine rental", () => {
  test("is decided for every input", () => {
    expect(Object.keys(changes).sort()).toEqual([...properties].sort());
  });

  const cases = Object.entries(changes).flatMap(([input, table]) =>
    table.map(({ from = {}, to, becomes }) => ({ input, from, to, becomes })),
  );
  test.each(cases)("of $input from $from to $to: $becomes", ({ from, to, becomes }) => {
    expect(decide({ ...base, ...from }, { ...base, ...to }, running)).toBe(becomes);
  });
});

describe("The check of a virtual-machine rental", () => {
  test("fills in what is documented as default", () => {
    expect(accept(base)).toMatchObject({
      networkType: "ethernet",
      region: "us-central-1",
      gpuType: "h100",
      termType: "on-demand",
      discountPercentage: 0,
      convertToOnDemandOnExpiry: true,
    });
  });

  test("names every constraint that is not met", () => {
    expect(reasons({ region: "eu-west-3", customPorts: [0, 65536, 80.5], networkType: "wifi" })).toEqual([
      "gpuCount is required (a number)",
      'networkType must be one of infiniband, ethernet, not "wifi"',
      expect.stringMatching(/^region must be one of us-central-1, us-central-2, .*, jp-east-1, not "eu-west-3"$/),
      "customPorts[0] must be at least 1, not 0",
      "customPorts[1] must be at most 65535, not 65536",
      "customPorts[2] must be an integer, not 80.5",
    ]);
    expect(reasons({ gpuCount: 0.5 })).toEqual(["gpuCount must be an integer, not 0.5"]);
    expect(reasons({ gpuCount: 0 })).toEqual(["gpuCount must be at least 1, not 0"]);
    const many = Array.from({ length: 21 }, (_, port) => port + 1);
    expect(reasons({ gpuCount: 1, customPorts: many })).toEqual([
      "customPorts must have at most 20 items, not (a list of 21)",
    ]);
    expect(reasons({ gpuCount: 1, storageVolume: { isNew: false, id: 1 } })).toEqual([
      expect.stringMatching(/^storageVolume is not a property of VmRental. Available: gpuCount, /),
    ]);
  });
});

test.each(["undescribed", "default"] as const)(
  "A list of virtual machines that is away for a moment (dialect %s) hides none that is left over: no second one is rented",
  async (dialect) => {
    const rig = createRig({ emulator: { dialect } });
    const head = { type: "VmRental", inputs: { gpuCount: 1 } };
    // Of a run whose provider was killed: it has the mark of this resource, and is in no state.
    await new FakeEngine(rig).up({ head });
    let left = 1;
    const wire = intercepting(({ method, path }) =>
      method === "GET" && path === paths.vm && left-- > 0
        ? answering(404, "<html><h1>404 Not Found</h1></html>")
        : undefined,
    );
    const { errors } = await new FakeEngine(rig).up({ head }, { provider: rig.startProvider({}, { wire }) });
    expect(errors).toHaveProperty("head");
    expect(live(rig)).toHaveLength(1);
  },
);

describe("A virtual machine with a status that nobody has heard of", () => {
  const head = { type: "VmRental", inputs: { gpuCount: 1 } };

  test.each([
    ["not yet until it has started", "Provisioning", false],
    ["that it has failed, in whatever letters", "failed", true],
    ["that it has failed, by another word", "ERROR", true],
  ])("means %s: %s", async (_, status, isFailure) => {
    const rig = createRig();
    let asked = 0;
    const wire = changingList(paths.vm, (items) =>
      items.map((item) => (asked++ < 3 ? { ...item, status, startedAt: null } : item)),
    );
    const { errors } = await new FakeEngine(rig).up({ head }, { provider: rig.startProvider({}, { wire }) });
    expect(errors).toEqual(isFailure ? { head: expect.stringContaining(`changed to ${status}`) } : {});
  });
});

describe("A 405 to a list of virtual machines that the service describes", () => {
  const vm = { type: "VmRental", inputs: base };
  /** Answers so many of the next lists with 405. */
  const withoutList = (times: number) => {
    let left = times;
    return intercepting(({ method, path }) =>
      method === "GET" && path === paths.vm && left-- > 0 ? answering(405, { error: "method not allowed" }) : undefined,
    );
  };

  test.each([1, 99])("does not mean that none is left over: nothing is rented beside it (%i times)", async (times) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ vm });
    // The state has lost it, and with it everything but the label.
    stack.state.delete("vm");
    const { errors } = await stack.up({ vm }, { provider: rig.startProvider({}, { wire: withoutList(times) }) });
    expect(errors).toHaveProperty("vm");
    expect(live(rig)).toEqual([1001]);
  });

  test.each([1, 99])("does not mean that an end was heeded (%i times)", async (times) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ vm: { ...vm, inputs: { ...base, timeouts: { delete: 60 } } } });
    rig.fault({ match: { method: "POST", path: paths.endVm }, times: 99, kind: "status", status: 202, body: {} });
    const { errors } = await stack.destroy({ provider: rig.startProvider({}, { wire: withoutList(times) }) });
    expect(errors).toHaveProperty("vm");
    expect(stack.state.has("vm")).toBe(true);
  });
});

test("A machine that is listed as deleted has ended, although it has started once", () => {
  const record = { id: 1, status: "Deleted", startedAt: "2026-01-01T00:00:00Z" };
  expect(viewOfVm(readableVmRental.parse(record), Date.UTC(2026, 0, 2)).phase).toBe("ended");
});
