import { FakeEngine } from "../fakeEngine";
import { createRig, paths } from "../rig";

const rental = (more: object = {}) => ({
  type: "BareMetalRental",
  inputs: { networkType: "infiniband", gpuCount: 8, ...more },
});

describe("expiresAt", () => {
  test("as a span counts from creation, and as a time is that time", async () => {
    const stack = new FakeEngine(createRig());
    await stack.up({ span: rental({ expiresAt: "8h" }), time: rental({ expiresAt: "2027-01-01 00:00:00+00" }) });
    expect(stack.get("span").outputs["expiresAtTime"]).toBe("2026-09-12T20:00:00.000Z");
    expect(stack.get("time").outputs["expiresAtTime"]).toBe("2027-01-01T00:00:00.000Z");
  });

  test("changed later counts from the same creation, and removed is no more", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ train: rental({ expiresAt: "8h" }) });
    rig.clock.advance(3600);
    expect((await stack.up({ train: rental({ expiresAt: "1d" }) })).steps).toEqual(["update train"]);
    expect(stack.get("train").outputs["expiresAtTime"]).toBe("2026-09-13T12:00:00.000Z");
    await stack.refresh();
    expect(stack.get("train").outputs["expiresAtTime"]).toBe("2026-09-13T12:00:00.000Z");
    await stack.up({ train: rental() });
    expect(stack.get("train").outputs).not.toHaveProperty("expiresAtTime");
    await stack.refresh();
    expect(stack.get("train").outputs).not.toHaveProperty("expiresAtTime");
  });

  test("of an instance whose list tells no times stays where it was put", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const program = { bargain: { type: "MarketplaceInstance", inputs: { gpuCount: 1, select: {}, expiresAt: "8h" } } };
    await stack.up(program);
    const { instances } = await rig.run(rig.client.listMarketplaceInstances());
    const timeless = instances.map(({ id, instance, sshCommand }) => ({ id, instance, sshCommand }));
    rig.clock.advance(3600);
    rig.fault({
      match: { method: "GET", path: paths.instances },
      times: 5,
      kind: "status",
      status: 200,
      body: { instances: timeless },
    });
    await stack.refresh();
    expect(stack.get("bargain").outputs["expiresAtTime"]).toBe("2026-09-12T20:00:00.000Z");
  });
});

describe("An update in place", () => {
  test("keeps every output, and asks nothing of the service but the list", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ train: rental() });
    const before = stack.get("train").outputs;
    const others = () => rig.emulator.requests().total - rig.count("GET", paths.bareMetal);
    const requests = others();
    expect((await stack.up({ train: rental({ maxCostPerHour: 50 }) })).steps).toEqual(["update train"]);
    expect(stack.get("train").outputs).toEqual({ ...before, maxCostPerHour: 50 });
    expect(others()).toBe(requests);
  });

  test("of what is gone ends with an error after as long as lists may lag, not after the whole timeout", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ train: rental() });
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    rig.clock.advance(600);
    const start = rig.clock.now();
    const { errors } = await stack.up({ train: rental({ maxCostPerHour: 50 }) });
    expect(errors["train"]).toMatch(
      /^updating BareMetalRental "train": bare-metal rental 1001 is no longer listed: it was terminated outside this stack. `pulumi up --refresh` creates a new one\./,
    );
    expect(rig.clock.now() - start).toBeLessThan(180_000);
  });

  test("of a virtual machine where there is no list is made all the same", async () => {
    const rig = createRig({ emulator: { dialect: "none" } });
    const stack = new FakeEngine(rig);
    const vm = (more: object) => ({ type: "VmRental", inputs: { gpuCount: 1, ...more } });
    await stack.up({ box: vm({}) });
    const { steps, errors } = await stack.up({ box: vm({ expiresAt: "8h" }) });
    expect({ steps, errors }).toEqual({ steps: ["update box"], errors: {} });
    // That there is no list was believed five seconds after it was first asked for, and the machine created then.
    expect(stack.get("box").outputs["expiresAtTime"]).toBe("2026-09-12T20:00:05.000Z");
  });

  test("attaches and detaches the rentals of a volume", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const program = (...names: string[]) => ({
      a: rental(),
      b: rental(),
      data: {
        type: "StorageVolume",
        inputs: (ids: Readonly<Record<string, string>>) => ({
          region: "us-central-1",
          sizeInGb: 256,
          rentalIds: names.map((name) => Number(ids[name])),
        }),
      },
    });
    const attached = async () => (await rig.run(rig.client.listStorageVolumes()))[0]?.attachedRentals;
    await stack.up(program("a"));
    expect(await attached()).toEqual([Number(stack.get("a").id)]);
    expect((await stack.up(program("b"))).steps).toContain("update data");
    expect(await attached()).toEqual([Number(stack.get("b").id)]);
    expect((await stack.up(program("b"), { refresh: true })).steps).toContain("same data");
    await stack.destroy();
    expect(rig.billing()).toEqual([]);
  });
});
