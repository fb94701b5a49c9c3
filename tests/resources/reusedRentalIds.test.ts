import { FakeEngine, type Program } from "../lifecycle/fakeEngine";
import { createRig, paths } from "../lifecycle/rig";
import { changingList, leavingOut, type Wire } from "../lifecycle/wire";

type Ids = Readonly<Record<string, string>>;

const node = { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } };
const data = { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } };
/** A volume that names the rental itself. */
const naming = (more: object = {}) => ({
  type: "StorageVolume",
  inputs: (ids: Ids) => ({ ...data.inputs, rentalIds: [Number(ids["a"])], ...more }),
});
const link = {
  type: "VolumeAttachment",
  inputs: (ids: Ids) => ({ storageVolumeId: Number(ids["data"]), rentalIds: [Number(ids["a"])] }),
};

/** The rental has ended, no refresh has seen that, and its id is that of a neighbour's by now. */
async function givenAway(program: Program) {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  expect((await stack.up({ a: node, ...program })).errors).toEqual({});
  const rental = Number(stack.get("a").id);
  await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: rental }));
  rig.clock.advance(60);
  rig.emulator.reuseId("bare-metal", rental, "neighbours-own");
  const attach = (storageVolumeId: number) =>
    rig.run(rig.client.attachStorageVolume({ storageVolumeId, rentalIds: [rental] }));
  const attached = async () => (await rig.run(rig.client.listStorageVolumes())).flatMap((one) => one.attachedRentals);
  return { rig, stack, rental, attach, attached };
}

const refusal = /names BareMetalRental "a", of which this must be settled first: .* Nothing was attached or detached\./;

describe("A volume that names a rental whose id is a neighbour's by now", () => {
  test("is not attached to that by a change of something else", async () => {
    const { stack, attached } = await givenAway({ data: naming() });
    const { errors } = await stack.up({ a: node, data: naming({ timeouts: { delete: "20m" } }) });
    expect(errors["data"]).toMatch(refusal);
    expect(await attached()).toEqual([]);
  });

  test("is not attached to it by an update that goes on where the last one failed", async () => {
    const { stack, attached } = await givenAway({ data: naming() });
    const kept = stack.get("data");
    stack.state.set("data", { ...kept, outputs: { ...kept.outputs, __unfinished: true } });
    expect((await stack.up({ a: node, data: naming() })).errors["data"]).toMatch(refusal);
    expect(await attached()).toEqual([]);
  });

  test("is not attached to it when it is adopted", async () => {
    const { stack, attached } = await givenAway({ data });
    const adoptId = stack.get("data").id;
    stack.state.delete("data");
    const { errors } = await stack.up({ a: node, adopted: naming({ adoptId }) });
    expect(errors["adopted"]).toBeDefined();
    expect(await attached()).toEqual([]);
  });

  test("is not detached from it when the program no longer names it", async () => {
    const { stack, attach, attached, rental } = await givenAway({ data: naming() });
    await attach(Number(stack.get("data").id));
    const { errors, provider } = await stack.up({ a: node, data: naming({ rentalIds: [] }) });
    expect(errors).toEqual({});
    expect(provider.shown.map(({ text }) => text)).toContainEqual(expect.stringMatching(/Nothing was detached\.$/));
    expect(await attached()).toEqual([rental]);
  });
});

describe("A list that leaves the neighbour's rental out, or in which it cannot be read,", () => {
  const wires: [string, (rental: number) => Wire][] = [
    ["left out once", (rental) => leavingOut(paths.bareMetal, ({ id }) => id === rental, 1)],
    ["unreadable", () => changingList(paths.bareMetal, (items) => items.map((item) => ({ ...item, status: 4 })))],
  ];

  test.each(wires)("does not have a new volume attached to it (%s)", async (_, wire) => {
    const { rig, stack, rental, attached } = await givenAway({ data });
    const more = { a: node, data, second: naming() };
    const { errors } = await stack.up(more, { provider: rig.startProvider({}, { wire: wire(rental) }) });
    expect(errors["second"]).toContain("Nothing was created.");
    expect(await attached()).toEqual([]);
  });

  test.each(wires)("nor a volume by a new attachment (%s)", async (_, wire) => {
    const { rig, stack, rental, attached } = await givenAway({ data });
    const provider = rig.startProvider({}, { wire: wire(rental) });
    expect((await stack.up({ a: node, data, link }, { provider })).errors["link"]).toMatch(refusal);
    expect(await attached()).toEqual([]);
  });

  test.each(wires)("nor the neighbour's pair detached by an attachment that goes (%s)", async (_, wire) => {
    const { rig, stack, rental, attach, attached } = await givenAway({ data, link });
    await attach(Number(stack.get("data").id));
    await stack.up({ a: node, data }, { provider: rig.startProvider({}, { wire: wire(rental) }) });
    expect(await attached()).toEqual([rental]);
  });
});
