import { FakeEngine, type Outcome } from "../lifecycle/fakeEngine";
import { paths } from "../lifecycle/rig";
import { changingList } from "../lifecycle/wire";
import { createStack, inline, volumes } from "./inlineStack";

/** The program now has the volume that was made with the rental as one that exists. */
const named = inline({ storageVolume: { isNew: false, id: 1 } });
const leftAlone =
  "storage volume 1 (512 GB, $0.0512/h), which was created with rental 1001, is left alone, because a rental has it as a volume that exists (storageVolume.id): it stays and bills when that one ends, too. To have it managed, declare a StorageVolume with adoptId: 1.";
const said = ({ provider }: Outcome) => provider.shown.filter(({ kind }) => kind !== "status").map(({ text }) => text);

async function running() {
  const created = createStack();
  await created.stack.up(inline());
  return created;
}

describe("A volume that was made with a rental, and that a rental has by its id since", () => {
  test("is not deleted with the rental that it was made with, and nobody is told that it would be", async () => {
    const { rig, stack } = await running();
    const up = await stack.up(named);
    expect({ errors: up.errors, said: said(up) }).toEqual({ errors: {}, said: [leftAlone] });
    expect((await stack.up(named, { refresh: true })).steps).toEqual(["same train"]);
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([1]);
  });

  test("is not deleted where a list leaves it out", async () => {
    const { rig, stack, provider } = await running();
    const leftOut = changingList(paths.volumes, (items) => (rig.billing().includes(1002) ? [] : items));
    const up = await stack.up(named, { provider: provider(leftOut) });
    expect({ errors: up.errors, said: said(up).join() }).toEqual({
      errors: {},
      said: expect.stringContaining("is left alone"),
    });
    expect(volumes(rig)).toEqual([1]);
  });

  test("is not deleted by a destroy after the command was killed in between", async () => {
    const { rig, stack } = await running();
    await stack.up(named, { keep: true });
    const down = await stack.destroy();
    expect(down.errors).toEqual({});
    expect(said(down)).toContain(leftAlone);
    expect(rig.billing()).toEqual([1]);
  });

  test("is not deleted by a destroy after the command was killed while it created the rental that is to have it", async () => {
    const { rig, stack } = await running();
    stack.pending.push({ name: "train", ...named.train });
    const down = await stack.destroy();
    expect(down.errors).toEqual({});
    expect(said(down)).toContain(leftAlone);
    expect(rig.billing()).toEqual([1]);
  });

  test("is not deleted by a destroy after a kill while another rental was created that is to have it", async () => {
    const { rig, stack } = await running();
    stack.pending.push({ name: "other", ...named.train });
    expect(said(await stack.destroy())).toContain(leftAlone);
    expect(rig.billing()).toEqual([1]);
  });

  test("is not deleted with the rental that was replaced where the one that has it has expired since", async () => {
    const { rig, stack } = await running();
    await stack.up(inline({ storageVolume: { isNew: false, id: 1 }, expiresAt: "1h" }), { keep: true });
    rig.clock.advance(2 * 3600);
    await stack.refresh(rig.startProvider({ endExpired: true }));
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([1]);
  });

  test("is not deleted where the rental that has it is in another stack", async () => {
    const { rig, stack } = await running();
    const other = new FakeEngine(rig, { stack: "other" });
    expect((await other.up(named)).errors).toEqual({});
    expect(said(await stack.destroy())).toContain(leftAlone);
    expect(volumes(rig)).toEqual([1]);
  });

  test("is deleted where that rental has ended before in the same run", async () => {
    const { rig, stack } = await running();
    expect((await stack.up({ ...inline(), user: named.train })).errors).toEqual({});
    // As where it depends on the other.
    const { provider } = await stack.destroy({ targets: ["user"] });
    expect((await stack.destroy({ provider })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("is deleted where that rental has expired", async () => {
    const { rig, stack } = await running();
    const user = { ...named.train, inputs: { ...named.train?.inputs, expiresAt: "1h" } };
    expect((await stack.up({ ...inline(), user })).errors).toEqual({});
    rig.clock.advance(2 * 3600);
    await stack.refresh(rig.startProvider({ endExpired: true }));
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("is not deleted with a rental that has expired where another stack has it", async () => {
    const { rig, stack } = createStack();
    await stack.up(inline({ expiresAt: "1h" }));
    const other = new FakeEngine(rig, { stack: "other" });
    expect((await other.up(named)).errors).toEqual({});
    rig.clock.advance(2 * 3600);
    expect((await stack.refresh(rig.startProvider({ endExpired: true }))).errors).toEqual({});
    expect(stack.get("train").outputs["status"]).toBe("Expired");
    expect(volumes(rig)).toEqual([1]);
  });
});

describe("A volume that was made with a rental, and that a rental may have by its id in a storageVolume that is a secret,", () => {
  const refused =
    /storage volume 1 \(512 GB, \$0\.0512\/h\) was created with rental 1001, and is not deleted: the state keeps secret which volume is the storageVolume of urn:pulumi:\S+, and it may be this one\. If it is, remove this resource with `pulumi state delete`: the volume stays\. If it is not, delete the volume by hand and run this again\./;

  test("is not deleted by a destroy after the command was killed in between, until a person has deleted it", async () => {
    const { rig, stack } = await running();
    stack.secrets = ["storageVolume"];
    await stack.up(named, { keep: true });
    expect(JSON.stringify((await stack.destroy()).errors)).toMatch(refused);
    expect(volumes(rig)).toEqual([1]);
  });

  test("is not deleted by a destroy after the command was killed while it created that rental", async () => {
    const { rig, stack } = await running();
    stack.secrets = ["storageVolume"];
    stack.pending.push({ name: "train", ...named.train });
    expect((await stack.destroy()).errors["train"]).toMatch(refused);
    expect(volumes(rig)).toEqual([1]);
  });

  test("is not deleted where that rental is in another stack, until a person has deleted it", async () => {
    const { rig, stack } = await running();
    const other = new FakeEngine(rig, { stack: "other" });
    other.secrets = ["storageVolume"];
    await other.up(named);
    await rig.run(rig.client.detachStorageVolume({ storageVolumeId: 1, rentalIds: [1002] }));
    expect((await stack.destroy()).errors["train"]).toMatch(refused);
    expect(volumes(rig)).toEqual([1]);
    await rig.run(rig.client.deleteStorageVolume({ storageVolumeId: 1 }));
    expect((await stack.destroy()).errors).toEqual({});
    expect(stack.state.size).toBe(0);
  });

  test("is deleted where that rental has one that was created with it", async () => {
    const { rig, stack } = await running();
    const other = new FakeEngine(rig, { stack: "other" });
    other.secrets = ["storageVolume"];
    await other.up(inline());
    expect((await stack.destroy()).errors).toEqual({});
    expect(volumes(rig)).toEqual([2]);
  });
});
