import { type Change, subjectOf } from "./decisions";

const { accept, decide, properties, reasons } = subjectOf("StorageVolume");
const base = { region: "us-central-1", sizeInGb: 256 };
const active = { status: "active" };

const changes: Record<string, Change[]> = {
  region: [{ to: { region: "eu-west-3" }, becomes: "replace" }],
  label: [{ to: { label: "mine" }, becomes: "replace" }],
  sizeInGb: [{ to: { sizeInGb: 512 }, becomes: "replace" }],
  rentalIds: [
    { to: { rentalIds: [] }, becomes: "nothing" },
    { to: { rentalIds: [1] }, becomes: "update" },
    { from: { rentalIds: [1, 2] }, to: { rentalIds: [2, 1] }, becomes: "nothing" },
    { from: { rentalIds: [1, 2] }, to: {}, becomes: "update" },
  ],
  waitForReady: [
    { to: { waitForReady: true }, becomes: "nothing" },
    { to: { waitForReady: false }, becomes: "update" },
  ],
  timeouts: [{ to: { timeouts: { create: 5 } }, becomes: "update" }],
};

describe("A change of a storage volume", () => {
  test("is decided for every input", () => {
    expect(Object.keys(changes).sort()).toEqual([...properties].sort());
  });

  const cases = Object.entries(changes).flatMap(([input, table]) =>
    table.map(({ from = {}, to, becomes }) => ({ input, from, to, becomes })),
  );
  test.each(cases)("of $input from $from to $to: $becomes", ({ from, to, becomes }) => {
    expect(decide({ ...base, ...from }, { ...base, ...to }, active)).toBe(becomes);
  });

  test("does not replace one that is not active yet, nor one whose status nobody knows", () => {
    for (const status of ["inactive", "unknown", "thawing"]) expect(decide(base, base, { status })).toBe("nothing");
  });
});

describe("The check of a storage volume", () => {
  test("chooses a label that the service accepts, whatever the resource is called", () => {
    expect(accept(base)["label"]).toMatch(/^[A-Za-z0-9_-]{4,255}$/);
  });

  test("names every constraint that is not met", () => {
    expect(reasons({ region: "private-cloud", sizeInGb: 300, label: "a b", rentalIds: [0] })).toEqual([
      expect.stringMatching(/^region must be one of us-central-1, .*, eu-west-4, not "private-cloud"$/),
      'label must have at least 4 characters, not "a b"',
      'label must have only letters, digits, underscores and hyphens, not "a b"',
      "sizeInGb must be a multiple of 256, not 300",
      "rentalIds[0] must be more than 0, not 0",
    ]);
    expect(reasons({})).toEqual([
      expect.stringMatching(/^region is required \(one of us-central-1, /),
      "sizeInGb is required (a number)",
    ]);
    expect(reasons({ ...base, sizeInGb: 64256 })).toEqual(["sizeInGb must be at most 64000, not 64256"]);
    expect(reasons({ ...base, label: "x".repeat(256) })).toEqual([
      expect.stringMatching(/^label must have at most 255 characters, not "x+…$/),
    ]);
    expect(reasons({ ...base, adoptId: 4 })).toEqual([
      "adoptId is not a property of StorageVolume. Available: region, label, sizeInGb, rentalIds, waitForReady, timeouts",
    ]);
  });
});
