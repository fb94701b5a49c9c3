import type { Transport } from "../../provider/client";
import { FakeEngine } from "../lifecycle/fakeEngine";
import { createRig, paths } from "../lifecycle/rig";
import { answering, changingList, intercepting, type Wire } from "../lifecycle/wire";
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
  adoptId: [
    { to: { adoptId: 1001 }, becomes: "nothing" },
    { from: { adoptId: "1001" }, to: {}, becomes: "nothing" },
    { from: { adoptId: "1001" }, to: { adoptId: "2002" }, becomes: "replace" },
  ],
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
    expect(reasons({ ...base, expiresAt: "8h" })).toEqual([
      "expiresAt is not a property of StorageVolume. Available: region, label, sizeInGb, rentalIds, waitForReady, timeouts, adoptId",
    ]);
  });
});

describe("A volume that exists", () => {
  async function createByHand() {
    const rig = createRig();
    const request = { label: "by-hand", region: "us-central-1", sizeInGb: 256 } as const;
    const { storageVolumeId } = await rig.run(rig.client.createStorageVolume(request));
    const stack = new FakeEngine(rig);
    const adopt = (inputs: object = {}) =>
      stack.up({ data: { type: "StorageVolume", inputs: { ...base, adoptId: storageVolumeId, ...inputs } } });
    return { rig, stack, adopt, id: String(storageVolumeId) };
  }

  test("is adopted with its own label, is then unchanged, and ends with the stack", async () => {
    const { rig, stack, adopt, id } = await createByHand();
    expect((await adopt()).errors).toEqual({});
    expect(stack.get("data")).toMatchObject({ id, outputs: { label: "by-hand" } });
    expect((await adopt({ adoptId: undefined })).steps).toEqual(["same data"]);
    expect(rig.billing()).toHaveLength(1);
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test.each([
    [{ sizeInGb: 512 }, "sizeInGb is 256, not 512"],
    [{ region: "eu-west-3" }, 'region is "us-central-1", not "eu-west-3"'],
    [{ label: "other" }, 'label is "by-hand", not "other"'],
    [{ rentalIds: [4711] }, "rentalIds is [], not [4711]"],
  ])("is not adopted as %p", async (inputs, difference) => {
    const { rig, stack, adopt } = await createByHand();
    const { errors } = await adopt(inputs);
    expect(errors["data"]).toMatch(/^creating StorageVolume "data": storage volume \d+ "by-hand" \(/);
    expect(errors["data"]).toContain(
      `cannot be adopted, because it differs from the program: ${difference}. Change the program, or remove adoptId to create a new one.`,
    );
    expect(stack.state.size).toBe(0);
    expect(rig.billing()).toHaveLength(1);
  });
});

describe("The rentals of a volume", () => {
  const rental = { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } };
  const program = {
    train: rental,
    data: {
      type: "StorageVolume",
      inputs: (ids: Readonly<Record<string, string>>) => ({ ...base, rentalIds: [Number(ids["train"])] }),
    },
  };
  /** A service that makes the volume and does not attach it. */
  const ignoresRentals: Wire = (transport) => (request) => {
    if (request.method !== "POST" || new URL(request.url).pathname !== paths.volumes) return transport(request);
    const { rentalIds: _, ...asked } = JSON.parse(request.body ?? "{}");
    return transport({ ...request, body: JSON.stringify(asked) });
  };
  /** A service that answers an attach and does nothing. */
  const ignoresAttach = intercepting(({ method, path, body }) =>
    method === "POST" && path === paths.attach
      ? answering(200, {
          storageVolumeId: body["storageVolumeId"],
          attachedRentalIds: body["rentalIds"],
          message: "attached",
        })
      : undefined,
  );
  const failed = (doing: string) =>
    `${doing} StorageVolume "data": the service accepted to attach volume 1 to rental 1001, but did not. It is in the state with id 1. It costs $0.0256/h. The next \`pulumi up\` checks it again. \`pulumi destroy\` terminates it.`;

  function createStack() {
    const rig = createRig();
    const attached = async () => (await rig.run(rig.client.listStorageVolumes()))[0]?.attachedRentals;
    return { rig, stack: new FakeEngine(rig), provider: (wire: Wire) => rig.startProvider({}, { wire }), attached };
  }

  test("that a create does not attach it to are attached afterwards", async () => {
    const { rig, stack, provider, attached } = createStack();
    expect((await stack.up(program, { provider: provider(ignoresRentals) })).errors).toEqual({});
    expect(await attached()).toEqual([1001]);
    expect(rig.count("POST", paths.volumes)).toBe(1);
  });

  test.each([true, false])(
    "that it is never attached to are an error that keeps it, and the next up goes on (waitForReady: %s)",
    async (waitForReady) => {
      const { rig, stack, provider, attached } = createStack();
      const { data } = program;
      const asked = {
        train: rental,
        data: { ...data, inputs: (ids: Record<string, string>) => ({ ...data.inputs(ids), waitForReady }) },
      };
      const neither = (transport: Transport) => ignoresRentals(ignoresAttach(transport));
      expect((await stack.up(asked, { provider: provider(neither) })).errors).toEqual({ data: failed("creating") });
      expect(stack.get("data").id).toBe("1");
      expect((await stack.up(asked, { provider: provider(neither) })).errors).toEqual({ data: failed("updating") });
      expect((await stack.up(asked)).errors).toEqual({});
      expect(await attached()).toEqual([1001]);
      expect((await stack.destroy()).errors).toEqual({});
      expect(rig.billing()).toEqual([]);
    },
  );

  test("that are added later and never attached are an error, too", async () => {
    const { stack, provider } = createStack();
    await stack.up({ train: rental, data: { type: "StorageVolume", inputs: base } });
    expect((await stack.up(program, { provider: provider(ignoresAttach) })).errors).toEqual({
      data: failed("updating"),
    });
    expect((await stack.up(program, { refresh: true })).errors).toEqual({});
  });

  test("are attached as the service answers where no record tells, and the volume can be deleted", async () => {
    const { rig, stack, provider } = createStack();
    const silent = changingList(paths.volumes, (items) => items.map(({ attachedRentals: _, ...item }) => item));
    const start = () => ({ provider: provider(silent) });
    await stack.up({ train: rental }, start());
    const begun = rig.clock.now();
    expect((await stack.up(program, start())).errors).toEqual({});
    const { errors, steps } = await stack.up(program, { ...start(), refresh: true });
    expect({ errors, steps }).toEqual({ errors: {}, steps: ["same train", "same data"] });
    expect((await stack.destroy(start())).errors).toEqual({});
    expect(rig.clock.now() - begun).toBeLessThan(60_000);
    expect({ attach: rig.count("POST", paths.attach), billing: rig.billing() }).toEqual({ attach: 0, billing: [] });
  });

  test("are attached without a word where lists merely lag", async () => {
    const { rig, stack, attached } = createStack();
    await stack.up({ train: rental });
    rig.fault({ match: { method: "GET", path: paths.volumes }, times: 40, kind: "stale-list", seconds: 100 });
    const { errors, provider } = await stack.up(program);
    expect({ errors, warnings: provider.shown.filter(({ kind }) => kind === "warning") }).toEqual({
      errors: {},
      warnings: [],
    });
    expect(await attached()).toEqual([1001]);
    expect(rig.count("POST", paths.volumes)).toBe(1);
  });
});

describe("A volume that is to be deleted while it is attached", () => {
  const quick = { region: "us-central-1", sizeInGb: 256, timeouts: { delete: "25s" } };
  const attachedByHand = async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ data: { type: "StorageVolume", inputs: quick } });
    const { id } = await rig.run(rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8 }));
    const storageVolumeId = Number(stack.get("data").id);
    await rig.run(rig.client.attachStorageVolume({ storageVolumeId, rentalIds: [id] }));
    return { rig, stack, storageVolumeId, id };
  };

  test("says what to do where nobody in the backend holds that", async () => {
    const { stack } = await attachedByHand();
    expect((await stack.destroy()).errors["data"]).toBe(
      'deleting StorageVolume "data": still attached to rental 1001 after 25s. No stack of this backend holds that attachment: detach volume 1 in the service\'s console, or wait until rental 1001 has ended. Then run this again.',
    );
  });

  test("is not told to go because one list leaves it out", async () => {
    const { rig, stack } = await attachedByHand();
    let look = 0;
    const wire = changingList(paths.volumes, (items) => (++look === 2 ? [] : items));
    await stack.destroy({ provider: rig.startProvider({}, { wire }) });
    expect(rig.count("POST", paths.deleteVolume)).toBe(0);
  });

  test("says who holds it", async () => {
    const { rig, stack, storageVolumeId, id } = await attachedByHand();
    const other = new FakeEngine(rig, { stack: "other" });
    await other.up({ link: { type: "VolumeAttachment", inputs: { storageVolumeId, rentalIds: [id] } } });
    expect((await stack.destroy()).errors["data"]).toBe(
      'deleting StorageVolume "data": still attached to rental 1001 after 25s. VolumeAttachment "link" of stack "other" holds it on rental 1001: remove it there. Or detach volume 1 in the service\'s console, or wait until rental 1001 has ended. Then run this again.',
    );
  });
});

test("A volume stays where the command that was to delete it has been killed", async () => {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  await stack.up({ data: { type: "StorageVolume", inputs: base } });
  const orphaned = rig.startProvider();
  orphaned.engineLives = false;
  expect((await stack.destroy({ provider: orphaned })).errors["data"]).toMatch(/the Pulumi engine has ended/);
  expect(rig.billing()).toHaveLength(1);
  expect((await stack.destroy()).errors).toEqual({});
  expect(rig.billing()).toEqual([]);
});
