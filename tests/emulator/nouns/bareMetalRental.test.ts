import { createRig, paths, refusal } from "../rig";
import { typed } from "../typed";

const day = 86_400;

describe("a bare-metal rental", () => {
  test("is Pending, Running, Terminating and gone as time goes by", async () => {
    const rig = createRig({ provisionSeconds: 60, endSeconds: 30 });
    const { createBareMetal, listBareMetal, endBareMetal, statusOf } = typed(rig);
    const status = async () => (await listBareMetal()).map((record) => record.status);
    const { id } = await createBareMetal({ label: "train" });
    expect(await status()).toEqual(["Pending"]);
    rig.emulator.clock.advance(59);
    expect(await status()).toEqual(["Pending"]);
    rig.emulator.clock.advance(1);
    expect(await status()).toEqual(["Running"]);
    await endBareMetal(id);
    expect(await status()).toEqual(["Terminating"]);
    rig.emulator.clock.advance(30);
    expect(await status()).toEqual([]);
    expect(statusOf(id)).toBe("Terminated");
  });

  test("tells when things happened", async () => {
    const rig = createRig({ provisionSeconds: 60 });
    const { createBareMetal, listBareMetal } = typed(rig);
    const created = await createBareMetal();
    expect(created).toMatchObject({ createdAt: "2026-09-12T13:59:00.123Z", startedAt: null, updatedAt: null });
    rig.emulator.clock.advance(90);
    expect(await listBareMetal()).toMatchObject([
      {
        createdAt: "2026-09-12T13:59:00.123Z",
        startedAt: "2026-09-12T14:00:00.123Z",
        updatedAt: "2026-09-12T14:00:00.123Z",
        terminatedAt: null,
      },
    ]);
  });

  test("has one node and one price for every eight GPUs", async () => {
    const rig = createRig();
    const { createBareMetal, listBareMetal } = typed(rig);
    for (const gpuType of ["h100", "h200", "b200"]) await createBareMetal({ gpuType, gpuCount: 16 });
    const rentals = await listBareMetal();
    expect(rentals.map(({ nodes }) => nodes.length)).toEqual([2, 2, 2]);
    expect(rentals.map(({ currentTerm }) => currentTerm.costPerHour)).toEqual([39.84, 52.64, 79.84]);
  });

  test("on a reserved term is discounted, then goes on by the hour", async () => {
    const rig = createRig();
    const { createBareMetal, listBareMetal } = typed(rig);
    await createBareMetal({ termType: "reserved", termPeriodDays: 30, discountPercentage: 25 });
    expect((await listBareMetal())[0]?.currentTerm).toEqual({
      termType: "reserved",
      effectiveAt: "2026-09-12T13:59:00.123Z",
      costPerHour: 14.94,
      reservedUntil: "2026-10-12T13:59:00.123Z",
      reservationEndsAt: "2026-10-12T13:59:00.123Z",
      termPeriodDays: 30,
      discountPercentage: 25,
      originalCostPerHour: 19.92,
    });
    rig.emulator.clock.advance(30 * day);
    expect((await listBareMetal())[0]?.currentTerm).toMatchObject({
      termType: "on-demand",
      effectiveAt: "2026-10-12T13:59:00.123Z",
      costPerHour: 19.92,
      reservedUntil: null,
    });
  });

  test("on a reserved term that is not to be converted ends with it", async () => {
    const rig = createRig({ endSeconds: 60 });
    const { createBareMetal, statusOf, billing } = typed(rig);
    const reserved = { termType: "reserved", termPeriodDays: 1, convertToOnDemandOnExpiry: false };
    const { id } = await createBareMetal(reserved);
    rig.emulator.clock.advance(day - 1);
    expect(statusOf(id)).toBe("Running");
    rig.emulator.clock.advance(1);
    expect(statusOf(id)).toBe("Terminating");
    rig.emulator.clock.advance(60);
    expect(statusOf(id)).toBe("Terminated");
    expect(billing()).toEqual([]);
  });

  test.each([
    [{ termPeriodDays: 0 }, "termPeriodDays: must be more than 0 and at most 3650"],
    [{ termPeriodDays: 1e300 }, "termPeriodDays: must be more than 0 and at most 3650"],
    [{ gpuCount: 1032 }, "gpuCount: must be 1024 or less; request a reservation for more"],
  ])("cannot be had with %j", async (fields, message) => {
    const { call } = createRig();
    const wanted = { networkType: "ethernet", gpuCount: 8, termType: "reserved", ...fields };
    expect(await call("POST", paths.bareMetal, wanted)).toMatchObject(refusal(400, "BAD_REQUEST", message));
  });

  test.each([
    [-10, 21.912],
    [12.5, 17.43],
    [150, 0],
  ])(
    "may have any discount, as the interface gives no range: %d %% is $%d/h",
    async (discountPercentage, costPerHour) => {
      const rig = createRig();
      await typed(rig).createBareMetal({ termType: "reserved", discountPercentage });
      // As it is sent: a price of 0 is none to the client.
      const { body } = await rig.call("GET", paths.bareMetal);
      expect(body).toMatchObject([{ currentTerm: { discountPercentage, costPerHour } }]);
    },
  );

  test("needs capacity in its region, which ended rentals give back", async () => {
    const rig = createRig({ capacity: 16, endSeconds: 10 });
    const { createBareMetal, endBareMetal } = typed(rig);
    const wanted = { networkType: "infiniband", gpuCount: 8 };
    const { id } = await createBareMetal();
    await createBareMetal();
    await createBareMetal({ region: "eu-west-4" });
    const full = refusal(400, "BAD_REQUEST", "no capacity for 8×h100 in us-central-1");
    expect(await rig.call("POST", paths.bareMetal, wanted)).toMatchObject(full);
    await endBareMetal(id);
    expect(await rig.call("POST", paths.bareMetal, wanted)).toMatchObject(full);
    rig.emulator.clock.advance(10);
    expect(await rig.call("POST", paths.bareMetal, wanted)).toMatchObject({ status: 200 });
  });

  test("may bear the label of another", async () => {
    const { createBareMetal, listBareMetal } = typed(createRig());
    await createBareMetal({ label: "same" });
    await createBareMetal({ label: "same" });
    expect((await listBareMetal()).map(({ label }) => label)).toEqual(["same", "same"]);
  });
});

describe("ending a rental", () => {
  const path = `${paths.bareMetal}/terminate`;

  test("that nobody knows is 404", async () => {
    const { call } = createRig();
    expect(await call("POST", path, { rentalId: 7 })).toMatchObject(refusal(404, "NOT_FOUND", "rental not found"));
  });

  test("twice is 400, before and after it has ended", async () => {
    const rig = createRig();
    const { createBareMetal, endBareMetal } = typed(rig);
    const { id } = await createBareMetal();
    await endBareMetal(id);
    const again = refusal(400, "BAD_REQUEST", "already terminated");
    expect(await rig.call("POST", path, { rentalId: id })).toMatchObject(again);
    rig.emulator.clock.advance(3600);
    expect(await rig.call("POST", path, { rentalId: id })).toMatchObject(again);
  });

  test("is not done by the operation of the other kind", async () => {
    const rig = createRig();
    const { id } = await typed(rig).createVm();
    expect(await rig.call("POST", path, { rentalId: id })).toMatchObject({ status: 404 });
    expect(typed(rig).billing()).toHaveLength(1);
  });
});

test("rentals of both kinds draw their ids from one sequence", async () => {
  const { createBareMetal, createVm } = typed(createRig());
  const made = [await createBareMetal(), await createVm(), await createBareMetal()];
  expect(made.map(({ id }) => id)).toEqual([1001, 1002, 1003]);
});

test("reading changes nothing", async () => {
  const rig = createRig();
  const { createBareMetal, listBareMetal } = typed(rig);
  await createBareMetal();
  rig.emulator.clock.advance(2);
  const before = await listBareMetal();
  for (let reads = 0; reads < 10; reads++) await listBareMetal();
  expect(await listBareMetal()).toEqual(before);
});
