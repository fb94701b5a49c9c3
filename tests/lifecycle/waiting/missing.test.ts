import { FakeEngine } from "../fakeEngine";
import { createRig, paths } from "../rig";

const rental = { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } };
const lists = { method: "GET", path: paths.bareMetal };

describe("A fresh rental that lists do not show", () => {
  test("is kept when lists lag behind, and found as soon as one does not", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ train: rental });
    rig.fault({ match: lists, times: 4, kind: "stale-list", seconds: 60 });
    const { steps, errors } = await stack.up({ train: rental }, { refresh: true });
    expect({ steps, errors }).toEqual({ steps: ["same train"], errors: {} });
    expect(rig.count("POST", paths.bareMetal)).toBe(1);
  });

  test("is made anew when it is gone for good, once lists had the time to show it", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ train: rental });
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: Number(stack.get("train").id) }));
    rig.clock.advance(15);
    const start = rig.clock.now();
    const { steps, provider } = await stack.up({ train: rental }, { refresh: true });
    expect(steps).toEqual(["gone train", "create train"]);
    expect(rig.clock.now() - start).toBeGreaterThan(120_000);
    expect(rig.billing()).toHaveLength(1);
    expect(provider.shown.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^not listed for \d+s; lists may lag, so it is looked for again$/),
    );
  });

  test("is never taken for gone because lists fail", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ train: rental });
    rig.fault({ match: lists, times: 2, kind: "stale-list", seconds: 60 });
    rig.fault({ match: lists, nth: 3, times: 1000, kind: "garbage" });
    const { errors } = await stack.up({ train: rental }, { refresh: true });
    expect(errors["train"]).toContain(
      "; the last poll failed: GET /v2/alpha/on-demand/bare-metal-rentals answered 200",
    );
    expect(stack.get("train").outputs["status"]).toBe("Running");
    expect(rig.count("POST", paths.bareMetal)).toBe(1);
  });
});
