import { findExpired } from "../../../../cli/commands/expired/find";
import { expiredJson, showExpired } from "../../../../cli/commands/expired/show";

const plain = (_style: string, text: string) => text;
const now = Date.UTC(2026, 0, 1, 12);
const type = "pulumi-nodejs:dynamic/gpufleet:BareMetalRental";

function rental(name: string, expiresAtTime: string | undefined, more: object = {}) {
  const outputs = {
    gpuType: "h100",
    gpuCount: 8,
    region: "us-central-1",
    status: "Running",
    costPerHour: 19.92,
    expiresAtTime,
  };
  return { urn: `urn:pulumi:dev::fleet::${type}::${name}`, type, id: "1", inputs: {}, outputs, ...more };
}

const state = (...resources: ReturnType<typeof rental>[]) => ({ version: 3, deployment: { resources } });

describe("gpufleet expired", () => {
  test("finds what is past its time, the longest overdue first, and nothing else", () => {
    const found = findExpired(
      state(
        rental("later", "2026-01-01T12:00:01Z"),
        rental("just", "2026-01-01T12:00:00Z"),
        rental("long", "2025-12-31T12:00:00Z"),
        rental("never", undefined),
        rental("replaced", "2025-01-01T00:00:00Z", { delete: true }),
        rental("nonsense", "soon"),
      ),
      now,
    );
    expect(found.map(({ name }) => name)).toEqual(["long", "just"]);
    expect(showExpired(found, now, plain)).toBe(
      `Expired: 2
  NAME  KIND               SIZE    REGION        STATUS   OVERDUE     $/H  COST SINCE
  long  bare-metal rental  8×h100  us-central-1  Running     1d0h  $19.92     $478.08
  just  bare-metal rental  8×h100  us-central-1  Running       0s  $19.92       $0.00`,
    );
    expect(JSON.parse(expiredJson(found, now)).expired[0]).toMatchObject({
      name: "long",
      overdueSeconds: 86_400,
      costSince: 478.08,
    });
  });

  test("says so where nothing has expired", () => {
    expect(showExpired(findExpired(state(), now), now, plain)).toBe("Nothing has expired.");
  });
});
