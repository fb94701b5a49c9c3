import { readItems } from "../../../provider/client/lists";
import { SharedLists, Snapshot } from "../../../provider/lifecycle";
import { bareMetalRentals } from "../../../provider/resources/bareMetalRental";
import { marketplaceInstances } from "../../../provider/resources/marketplaceInstance";
import { vmRentals } from "../../../provider/resources/vmRental";
import { lists } from "../../../provider/service";
import { createRig, paths } from "../rig";

function createList() {
  const rig = createRig();
  const lists = new SharedLists(rig.client, rig.clock);
  const list = lists.of(bareMetalRentals);
  return { rig, lists, list, asked: () => rig.count("GET", paths.bareMetal) };
}

const match = { method: "GET", path: paths.bareMetal };

describe("A shared list", () => {
  test("is one per kind", () => {
    const { lists, list } = createList();
    expect(lists.of(bareMetalRentals)).toBe(list);
    expect(lists.of(vmRentals)).not.toBe(list);
  });

  test("is waited for no longer than an operation may take, and goes on for the others", async () => {
    const { rig, lists, list, asked } = createList();
    rig.fault({ match, kind: "delay", ms: 25_000 });
    const hasty = lists.until(rig.clock.now() + 12_000).of(bareMetalRentals);
    const start = rig.clock.now();
    const given = hasty.latest().catch((error: Error) => `${error.message} after ${rig.clock.now() - start} ms`);
    const [failed, answer] = await rig.run(Promise.all([given, list.latest()]));
    expect(failed).toBe("the service gave no list of bare-metal rentals in time after 12000 ms");
    expect(asked()).toBe(1);
    expect(await rig.run(hasty.latest())).toBe(answer);
  });

  test("asks once for everybody who asks at the same moment", async () => {
    const { rig, list, asked } = createList();
    const answers = await rig.run(Promise.all(Array.from({ length: 500 }, () => list.latest())));
    expect(new Set(answers).size).toBe(1);
    expect(asked()).toBe(1);
  });

  test("gives any answer it has, however old, and asks no more", async () => {
    const { rig, list, asked } = createList();
    const first = await rig.run(list.latest());
    rig.clock.advance(86_400);
    expect(await rig.run(list.latest())).toBe(first);
    expect(asked()).toBe(1);
  });

  test("gives only answers to requests that began after the mark", async () => {
    const { rig, list, asked } = createList();
    const first = await rig.run(list.latest());
    const mark = list.cursor();
    const [second, shared] = await rig.run(Promise.all([list.after(mark, 0), list.after(mark, 0)]));
    expect(second.sequence).toBeGreaterThan(first.sequence);
    expect(shared).toBe(second);
    expect(asked()).toBe(2);
  });

  test("does not take a request that was already under way for a later one", async () => {
    const { rig, list, asked } = createList();
    const underWay = list.latest();
    const later = list.after(list.cursor(), 0);
    const [first, second] = await rig.run(Promise.all([underWay, later]));
    expect(second.sequence).toBe(first.sequence + 1);
    expect(asked()).toBe(2);
  });

  test("keeps requests the given time apart, for a thousand waiters as for one", async () => {
    const { rig, list, asked } = createList();
    const begin = list.cursor();
    const wait = async () => {
      let mark = begin;
      for (let look = 0; look < 5; look += 1) mark = (await list.after(mark, 2000)).sequence;
    };
    const start = rig.clock.now();
    await rig.run(Promise.all(Array.from({ length: 1000 }, wait)));
    expect(asked()).toBe(5);
    expect(rig.clock.now() - start).toBe(8000);
  });

  test("counts as absence only lists from after something was last seen", async () => {
    const { rig, list } = createList();
    const look = async () => {
      await rig.run(list.fresh());
      await rig.run(rig.clock.sleep(30_000));
    };
    for (let count = 0; count < 6; count += 1) await look();
    const { id } = await rig.run(rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8 }));
    expect(list.absenceOf(String(id), undefined)).toEqual({ looks: 6, milliseconds: 150_000 });
    await look();
    rig.fault({ match, kind: "omit", ids: [String(id)], times: 2 });
    await look();
    await look();
    expect(list.absenceOf(String(id), undefined)).toEqual({ looks: 2, milliseconds: 30_000 });
  });

  test("fails for those who waited for the request that failed, and asks again for the next", async () => {
    const { rig, list } = createList();
    rig.fault({ match, kind: "garbage" });
    const failed = await rig.run(Promise.allSettled([list.latest(), list.latest()]));
    expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect((await rig.run(list.latest())).items).toEqual([]);
  });

  test("lets go of who has given up, and of nobody else", async () => {
    const { rig, list } = createList();
    await rig.run(list.latest());
    const stop = new AbortController();
    const given = list.after(list.cursor(), 60_000, stop.signal);
    const other = list.after(list.cursor(), 60_000);
    stop.abort(new Error("given up"));
    await expect(given).rejects.toThrow("given up");
    expect((await rig.run(other)).items).toEqual([]);
  });

  test("finds by id, by exact label and by marks", async () => {
    const { rig, list } = createList();
    const label = "a-aaaaaa-bbbbbbbb-cccccc";
    const create = (name: string) =>
      rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, label: name });
    for (const name of [label, `${label}x`, "a", "ab", label]) await rig.run(create(name));
    const snapshot = await rig.run(list.latest());
    expect(snapshot.find("1003")).toMatchObject({ id: "1003", label: "a" });
    expect(snapshot.find("100")).toBeUndefined();
    expect(snapshot.withLabel("a").map(({ id }) => id)).toEqual(["1003"]);
    expect(snapshot.withLabel(label).map(({ id }) => id)).toEqual(["1001", "1005"]);
    expect(snapshot.withMarks({ stack: "aaaaaa", resource: "bbbbbbbb" }).map(({ id }) => id)).toEqual(["1001", "1005"]);
    expect(snapshot.withMarks({ stack: "aaaaaa", resource: "cccccccc" })).toEqual([]);
    expect(snapshot.views()).toHaveLength(5);
  });
});

test("Of several records with one id and one label the one that runs is found", () => {
  const record = { id: 7, label: "train" };
  const records = [
    { ...record, status: "Terminated" },
    { ...record, status: "Running" },
    { id: 7, label: "another", status: "Running" },
  ];
  const find = (items: typeof records, label?: string) => new Snapshot(vmRentals, items, 1).find("7", label);
  expect(find(records, "train")).toMatchObject({ label: "train", status: "Running" });
  expect(find(records.slice(0, 1).concat(records.slice(2)), "train")).toMatchObject({ status: "Terminated" });
  expect(find(records, "unknown")).toMatchObject({ label: "train", status: "Running" });
});

test("A record is looked at once, however often it is asked for, and what was made of it by one is no other's", () => {
  const view = jest.fn(vmRentals.view);
  const snapshot = new Snapshot({ ...vmRentals, view }, [{ id: 7, label: "train", status: "Running" }], 1);
  const first = snapshot.find("7", "train");
  if (!first) throw new Error("it is not found");
  first.status = "changed";
  expect(snapshot.withLabel("train")).toMatchObject([{ id: "7", status: "Running" }]);
  expect(snapshot.liveItems).toHaveLength(1);
  expect(snapshot.views()).toHaveLength(1);
  expect(view).toHaveBeenCalledTimes(1);
});

describe("A record that calls itself by several names", () => {
  const listing = (...items: object[]) => items.map((item) => lists.listMarketplaceInstances.item.parse(item));
  const snapshotOf = (...items: object[]) => new Snapshot(marketplaceInstances, listing(...items), 1);
  const one = { id: "x-1", instance_name: "job-1", status: "running" };

  test("is found by any of them, and has its id all the same", () => {
    const snapshot = snapshotOf(one, { id: "x-2", instance_name: "job-2" });
    expect(snapshot.find("job-1")).toMatchObject({ id: "x-1", names: ["x-1", "job-1"] });
    expect(snapshot.has("job-2")).toBe(true);
    expect(snapshot.has("job-3")).toBe(false);
    expect([...snapshot.ids()]).toEqual(["x-1", "x-2", "job-1", "job-2"]);
  });

  test("is not found by the id of another", () => {
    expect(snapshotOf(one, { id: "job-1" }).find("job-1")).toMatchObject({ id: "job-1" });
  });

  test("counts as one that cannot be read where two that run have the name", () => {
    const snapshot = snapshotOf(one, { ...one, id: "x-2" });
    expect(snapshot.has("job-1")).toBe(true);
    expect(() => snapshot.find("job-1")).toThrow(
      "x-1 and x-2 both have this name, and nothing shows which one is meant",
    );
    expect(snapshotOf(one, { ...one, id: "x-2", status: "terminated" }).find("job-1")).toMatchObject({ id: "x-1" });
  });

  test("is there under each of them also where it cannot be read", () => {
    const items = readItems(lists.listMarketplaceInstances, [{ ...one, status: 5 }], []);
    const snapshot = new Snapshot(marketplaceInstances, items, 1);
    expect(snapshot.isUnreadable("x-1")).toBe(true);
    expect(snapshot.isUnreadable("job-1")).toBe(true);
    expect(snapshot.has("job-2")).toBe(false);
    expect(snapshot.provesAbsence(undefined)).toBe(true);
  });

  test("may be any other where it cannot be read and has only one of them", () => {
    const items = readItems(lists.listMarketplaceInstances, [{ instance_name: "job-1", status: 5 }], []);
    const snapshot = new Snapshot(marketplaceInstances, items, 1);
    expect(snapshot.isUnreadable("job-1")).toBe(true);
    expect(snapshot.provesAbsence(undefined)).toBe(false);
  });
});
