import { unknownValue } from "../../provider/shared/unknown";
import { baseUrl } from "../lifecycle/rig";
import { type Change, subjectOf } from "./decisions";

const { accept, check, decide, diff, properties, reasons } = subjectOf("BareMetalRental");
const base = { networkType: "infiniband", gpuCount: 8 };
const running = { status: "Running" };
const reserved = { termType: "reserved", termPeriodDays: 30, discountPercentage: 5 };
const inline = { storageVolume: { isNew: true, label: "scratch", sizeInGb: 300 } };

const changes: Record<string, Change[]> = {
  networkType: [{ to: { networkType: "ethernet" }, becomes: "replace" }],
  gpuCount: [{ to: { gpuCount: 16 }, becomes: "replace" }],
  region: [
    { to: { region: "us-central-1" }, becomes: "nothing" },
    { to: { region: "eu-west-3" }, becomes: "replace" },
    { from: { region: "eu-west-3" }, to: { fallbackRegions: ["eu-west-3"] }, becomes: "update" },
    { from: { region: "eu-west-3" }, to: { fallbackRegions: ["eu-west-4"] }, becomes: "replace" },
  ],
  gpuType: [
    { to: { gpuType: "h100" }, becomes: "nothing" },
    { to: { gpuType: "b200" }, becomes: "replace" },
  ],
  label: [
    { to: { label: "mine" }, becomes: "replace" },
    { from: { label: "mine" }, to: { label: "yours" }, becomes: "replace" },
    { from: { label: "mine" }, to: {}, becomes: "nothing" },
  ],
  termType: [
    { to: { termType: "on-demand" }, becomes: "nothing" },
    { to: { termType: "reserved" }, becomes: "replace" },
  ],
  termPeriodDays: [{ from: reserved, to: { ...reserved, termPeriodDays: 60 }, becomes: "replace" }],
  discountPercentage: [
    { to: { discountPercentage: 0 }, becomes: "nothing" },
    { from: reserved, to: { ...reserved, discountPercentage: 6 }, becomes: "replace" },
  ],
  monitoringEnabled: [{ to: { monitoringEnabled: true }, becomes: "replace" }],
  convertToOnDemandOnExpiry: [
    { to: { convertToOnDemandOnExpiry: true }, becomes: "nothing" },
    { to: { convertToOnDemandOnExpiry: false }, becomes: "replace" },
  ],
  storageVolume: [
    { to: inline, becomes: "replace" },
    { from: inline, to: { storageVolume: { ...inline.storageVolume, sizeInGb: 400 } }, becomes: "replace" },
    { from: inline, to: { storageVolume: { isNew: false, id: 7 } }, becomes: "replace" },
    { from: inline, to: {}, becomes: "replace" },
  ],
  cudaVersion: [{ to: { cudaVersion: "cuda12.9" }, becomes: "replace" }],
  waitForReady: [
    { to: { waitForReady: true }, becomes: "nothing" },
    { to: { waitForReady: false }, becomes: "update" },
  ],
  timeouts: [
    { to: { timeouts: { create: "1h" } }, becomes: "update" },
    { from: { timeouts: { create: "1h" } }, to: {}, becomes: "update" },
  ],
  waitForGpus: [{ to: { waitForGpus: true }, becomes: "update" }],
  waitForSsh: [
    { to: { waitForSsh: false }, becomes: "nothing" },
    { to: { waitForSsh: true }, becomes: "update" },
  ],
  maxCostPerHour: [{ to: { maxCostPerHour: 20 }, becomes: "update" }],
  expiresAt: [
    { to: { expiresAt: "8h" }, becomes: "update" },
    { from: { expiresAt: "8h" }, to: {}, becomes: "update" },
  ],
  adoptId: [
    { to: { adoptId: "1001" }, becomes: "nothing" },
    { from: { adoptId: "1001" }, to: {}, becomes: "nothing" },
    { from: { adoptId: "1001" }, to: { adoptId: 1001 }, becomes: "nothing" },
    { from: { adoptId: "1001" }, to: { adoptId: "2002" }, becomes: "replace" },
  ],
  fallbackRegions: [
    { to: { fallbackRegions: ["eu-west-3"] }, becomes: "update" },
    { to: { fallbackRegions: [] }, becomes: "nothing" },
  ],
  keepVolume: [
    { to: { keepVolume: false }, becomes: "nothing" },
    { to: { keepVolume: true }, becomes: "update" },
  ],
};

describe("A change of a bare-metal rental", () => {
  test("is decided for every input", () => {
    expect(Object.keys(changes).sort()).toEqual([...properties].sort());
  });

  const cases = Object.entries(changes).flatMap(([input, table]) =>
    table.map(({ from = {}, to, becomes }) => ({ input, from, to, becomes })),
  );
  test.each(cases)("of $input from $from to $to: $becomes", ({ from, to, becomes }) => {
    expect(decide({ ...base, ...from }, { ...base, ...to }, running)).toBe(becomes);
  });

  test("replaces what has failed or is ending, whatever the program says", () => {
    for (const status of ["Failed", "Terminating", "Terminated"])
      expect(decide(base, base, { status })).toBe("replace");
    for (const status of ["Pending", "Unknown", "Hibernating"]) expect(decide(base, base, { status })).toBe("nothing");
  });

  test("replaces what is unresolved", () => {
    expect(decide(base, base, running, "unresolved:thing-aaaaaa-bbbbbbbb-cccccc")).toBe("replace");
  });

  test("goes on with a create that did not come to its end", () => {
    expect(decide(base, base, { status: "Pending", __unfinished: true })).toBe("update");
  });

  test("is not seen in a state of an older version that knew fewer inputs", () => {
    const { waitForSsh: _, keepVolume: __, convertToOnDemandOnExpiry: ___, ...old } = accept(base);
    expect(diff({ ...old, ...running }, accept(base, old))).toEqual({ changes: false, replaces: [], updates: [] });
  });

  test("names the inputs that replace, and takes an unknown value for a change", () => {
    const inputs = accept(base);
    expect(diff(inputs, { ...inputs, gpuCount: 16, gpuType: "h200", waitForSsh: true })).toEqual({
      changes: true,
      replaces: ["gpuCount", "gpuType"],
      updates: ["waitForSsh"],
    });
    const unknown = { isNew: false, id: unknownValue };
    expect(diff(inputs, { ...inputs, storageVolume: unknown })).toEqual({
      changes: true,
      replaces: ["storageVolume"],
      updates: [],
    });
  });
});

describe("The check of a bare-metal rental", () => {
  test("fills in what is documented as default, and a label", () => {
    expect(accept(base)).toEqual({
      networkType: "infiniband",
      gpuCount: 8,
      region: "us-central-1",
      gpuType: "h100",
      termType: "on-demand",
      discountPercentage: 0,
      convertToOnDemandOnExpiry: true,
      waitForReady: true,
      waitForSsh: false,
      waitForGpus: false,
      keepVolume: false,
      label: expect.stringMatching(/^thing-[a-z2-7]{6}-[a-z2-7]{8}-[a-z2-7]{6}$/),
      __origin: expect.stringContaining("::thing"),
      __where: { address: baseUrl, key: "rig" },
    });
  });

  test("keeps the label that the state has, and chooses none for what is adopted", () => {
    const before = accept(base);
    expect(accept(base, before)["label"]).toBe(before["label"]);
    expect(accept(base)["label"]).not.toBe(before["label"]);
    expect(accept({ ...base, adoptId: 7 })["label"]).toBeUndefined();
  });

  test("names every constraint that is not met, each on its own property, with the value and what is allowed", () => {
    expect(
      check({
        gpuCount: 12,
        region: "eu-north-2",
        gpuType: "a100",
        cudaVersion: "cuda11",
        termType: "spot",
        monitoringEnabled: "yes",
        maxCostPerHour: 0,
        expiresAt: "tomorrow",
        timeouts: { create: "soon", delete: -1 },
        adoptId: "",
        fallbackRegions: ["eu-west-3", "mars-1"],
        waitForSsh: 1,
      }).failures.map(({ withoutValue: _, ...failure }) => failure),
    ).toEqual([
      { property: "networkType", reason: "networkType is required (one of infiniband, ethernet)", isAbsence: true },
      { property: "gpuCount", reason: "gpuCount must be a multiple of 8, not 12" },
      {
        property: "region",
        reason:
          "region must be one of us-central-1, uk-central-3, uk-southeast-3, eu-southwest-3, eu-southwest-3-1, eu-west-3, " +
          'eu-west-4, not "eu-north-2"',
      },
      { property: "gpuType", reason: 'gpuType must be one of h100, h200, b200, not "a100"' },
      { property: "termType", reason: 'termType must be one of on-demand, reserved, not "spot"' },
      { property: "monitoringEnabled", reason: 'monitoringEnabled must be a boolean, not "yes"' },
      { property: "cudaVersion", reason: 'cudaVersion must be one of cuda12.8, cuda12.9, not "cuda11"' },
      {
        property: "timeouts.create",
        reason: 'timeouts.create must be a number of seconds, or a duration such as "30m" or "2h", not "soon"',
      },
      {
        property: "timeouts.delete",
        reason: 'timeouts.delete must be a number of seconds, or a duration such as "30m" or "2h", not -1',
      },
      { property: "waitForSsh", reason: "waitForSsh must be a boolean, not 1" },
      { property: "maxCostPerHour", reason: "maxCostPerHour must be more than 0, not 0" },
      {
        property: "expiresAt",
        reason:
          'expiresAt must be a time such as "2026-12-24T18:00:00Z", or a duration from creation such as "8h", not "tomorrow"',
      },
      { property: "adoptId", reason: expect.stringMatching(/^adoptId must .*, not ""$/) },
      {
        property: "fallbackRegions[1]",
        reason:
          "fallbackRegions[1] must be one of us-central-1, uk-central-3, uk-southeast-3, eu-southwest-3, eu-southwest-3-1, " +
          'eu-west-3, eu-west-4, not "mars-1"',
      },
    ]);
    expect(reasons({ ...base, gpuCount: 0 })).toEqual(["gpuCount must be at least 1, not 0"]);
  });

  test("names what is wrong inside the volume", () => {
    const volume = (storageVolume: object) => reasons({ ...base, storageVolume });
    expect(volume({ isNew: true, label: "ab", sizeInGb: 100 })).toEqual([
      'storageVolume.label must have at least 4 characters, not "ab"',
      "storageVolume.sizeInGb must be at least 256, not 100",
    ]);
    expect(volume({ isNew: true, label: "no spaces", sizeInGb: 65000 })).toEqual([
      'storageVolume.label must have only letters, digits, underscores and hyphens, not "no spaces"',
      "storageVolume.sizeInGb must be at most 64000, not 65000",
    ]);
    expect(volume({ isNew: false })).toEqual(["storageVolume.id is required (a number)"]);
    expect(volume({ isNew: false, id: 0 })).toEqual(["storageVolume.id must be more than 0, not 0"]);
    expect(volume({ id: 7 })).toEqual(["storageVolume.isNew is required (one of false, true)"]);
  });

  test("suggests what was meant by a property that does not exist, also inside others", () => {
    expect(
      check({
        ...base,
        gpucount: 8,
        gpuTyp: "h100",
        ssh: true,
        timeouts: { creat: "5m" },
        storageVolume: { isNew: true, label: "scratch", sizeInGB: 300, sizeInGb: 300 },
      }).failures,
    ).toEqual([
      {
        property: "storageVolume.sizeInGB",
        reason: "sizeInGB is not a property of BareMetalRental.storageVolume. Did you mean sizeInGb?",
      },
      {
        property: "timeouts.creat",
        reason: "creat is not a property of BareMetalRental.timeouts. Did you mean create?",
      },
      { property: "gpucount", reason: "gpucount is not a property of BareMetalRental. Did you mean gpuCount?" },
      { property: "gpuTyp", reason: "gpuTyp is not a property of BareMetalRental. Did you mean gpuType?" },
      { property: "ssh", reason: `ssh is not a property of BareMetalRental. Available: ${properties.join(", ")}` },
    ]);
  });

  test("passes over what is unknown in a preview, on its own, in a list and inside an object, and nothing else", () => {
    const known = { networkType: unknownValue, gpuCount: unknownValue, region: unknownValue };
    expect(reasons(known)).toEqual([]);
    expect(reasons({ ...base, fallbackRegions: unknownValue })).toEqual([]);
    expect(reasons({ ...base, fallbackRegions: ["eu-west-3", unknownValue] })).toEqual([]);
    expect(reasons({ ...base, storageVolume: { isNew: false, id: unknownValue } })).toEqual([]);
    expect(reasons({ ...base, storageVolume: { isNew: unknownValue, id: 3 } })).toEqual([]);
    expect(reasons({ ...base, timeouts: { create: unknownValue }, label: unknownValue })).toEqual([]);
    expect(reasons({ networkType: unknownValue, gpuCount: 12, unheard: unknownValue })).toEqual([
      "gpuCount must be a multiple of 8, not 12",
      expect.stringMatching(/^unheard is not a property of BareMetalRental/),
    ]);
    expect(accept({ ...base, region: unknownValue })["region"]).toBe(unknownValue);
  });
});
