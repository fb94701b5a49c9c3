import { FakeEngine, type Program } from "../lifecycle/fakeEngine";
import { createRig, paths, type Rig } from "../lifecycle/rig";
import { changingList, type Wire } from "../lifecycle/wire";
import { deletes, inline, shownAs, volumes } from "./inlineStack";

/** A service whose volumes name every rental that they were ever attached to, and `more`. */
function neverForgetting(more: readonly number[] = []): Wire {
  const seen = new Map<unknown, Set<unknown>>();
  return shownAs((item) => {
    const known = seen.get(item["id"]) ?? new Set(more);
    seen.set(item["id"], known);
    for (const rental of Array.isArray(item["attachedRentals"]) ? item["attachedRentals"] : []) known.add(rental);
    return { ...item, attachedRentals: [...known] };
  });
}
const keepingEnded = { emulator: { dialect: "rich" } } as const;
const withoutEnded = changingList(paths.bareMetal, (items) => items.filter(({ status }) => status !== "Terminated"));
const both =
  (one: Wire, other: Wire): Wire =>
  (transport) =>
    one(other(transport));

const named: Program = {
  data: { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 512 } },
  train: {
    type: "BareMetalRental",
    inputs: ({ data }) => ({
      networkType: "infiniband",
      gpuCount: 8,
      storageVolume: { isNew: false, id: Number(data) },
    }),
  },
};

describe("A volume whose record still names a rental that has ended", () => {
  test.each<[string, Program, Parameters<typeof createRig>[0], (wire: Wire) => Wire]>([
    ["that it was created with", inline(), {}, (wire) => both(wire, withoutEnded)],
    ["that it was created with, and that is listed as ended", inline(), keepingEnded, (wire) => wire],
    ["that had it by its id", named, {}, () => both(neverForgetting([1001]), withoutEnded)],
  ])("(%s) is deleted when lists can no longer lag", async (_, program, options, shown) => {
    const rig = createRig(options);
    const stack = new FakeEngine(rig);
    const wire = shown(neverForgetting());
    const provider = () => ({ provider: rig.startProvider({}, { wire }) });
    expect((await stack.up(program, provider())).errors).toEqual({});
    const start = rig.clock.now();
    expect((await stack.destroy(provider())).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
    expect(rig.clock.now() - start).toBeGreaterThan(120_000);
    expect(rig.clock.now() - start).toBeLessThan(330_000);
  });

  test.each<[string, (rig: Rig) => Promise<number>]>([
    [
      "that runs in another stack",
      async (rig) => {
        const other = { gpuCount: 8, networkType: "infiniband", label: "another" } as const;
        return (await rig.run(rig.client.createBareMetalRental(other))).id;
      },
    ],
    ["that no list shows, and of which this process knows nothing", async () => 999],
  ])("beside one %s stays, and the error says so", async (_, otherRental) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const other = await otherRental(rig);
    const wire = both(neverForgetting([other]), withoutEnded);
    await stack.up(inline());
    const { errors } = await stack.destroy({ provider: rig.startProvider({}, { wire }) });
    expect(errors["train"]).toMatch(new RegExp(`still attached to rentals .*${other}`));
    expect(volumes(rig)).toEqual([1]);
    expect(rig.count(deletes.method, deletes.path)).toBe(0);
    expect(stack.state.size).toBe(1);
  });
});
