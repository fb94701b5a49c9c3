import { partsKey } from "../../provider/lifecycle";
import { identityOf, whyAnother } from "../../provider/resources/volumeAttachment";
import { FakeEngine, type Program } from "../lifecycle/fakeEngine";
import { createRig, paths, type RigOptions } from "../lifecycle/rig";
import { answering, intercepting } from "../lifecycle/wire";

type Ids = Readonly<Record<string, string>>;

const node = { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } };
const data = { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } };
const link = (...names: string[]) => ({
  type: "VolumeAttachment",
  inputs: (ids: Ids) => ({ storageVolumeId: Number(ids["data"]), rentalIds: names.map((name) => Number(ids[name])) }),
});
const program = (...names: string[]): Program => ({ a: node, b: node, data, link: link(...names) });
const { link: _, ...unlinked } = program();

/** A volume that is attached, and what a neighbour of the same account can do to it. */
async function linked(names = ["a"], options: RigOptions = {}) {
  const rig = createRig(options);
  const stack = new FakeEngine(rig);
  expect((await stack.up(program(...names))).errors).toEqual({});
  const { client, emulator } = rig;
  const idOf = (name: string) => Number(stack.get(name).id);
  const storageVolumeId = idOf("data");
  const ends = {
    volume: async () => {
      const rentalIds = names.map(idOf);
      await rig.run(client.detachStorageVolume({ storageVolumeId, rentalIds }));
      await rig.run(client.deleteStorageVolume({ storageVolumeId }));
    },
    rental: () => rig.run(client.terminateRental({ rentalType: "bare-metal", rentalId: idOf("a") })),
  };
  /** Somebody ends ours; its id goes to a neighbour's new one, which the neighbour has attached. */
  const giveAway = async (what: keyof typeof ends, label = "neighbours-own") => {
    await ends[what]();
    rig.clock.advance(60);
    if (what === "volume") emulator.reuseId("storage-volume", storageVolumeId, label);
    else emulator.reuseId("bare-metal", idOf("a"), label);
    await rig.run(client.attachStorageVolume({ storageVolumeId, rentalIds: [idOf("a")] }));
  };
  const attachedTo = async () => {
    const volumes = await rig.run(client.listStorageVolumes());
    const volume = volumes.find(({ id, storageVolumeId: other }) => [id, other].includes(storageVolumeId));
    return ["a", "b"].filter((name) => volume?.attachedRentals.includes(idOf(name))).join("");
  };
  return { rig, stack, giveAway, attachedTo, idOf };
}

const texts = ({ shown }: { shown: readonly { kind: string; text: string }[] }, kind: string) =>
  shown.filter((one) => one.kind === kind).map(({ text }) => text);
const times = /\d{4}-[\d-]+T[\d:.]+Z/g;

describe("An attachment whose volume or rental has ended, and its id is a neighbour's by now", () => {
  test.each([
    [
      "volume",
      "storage volume 1 is another one by now (created at T, not at T): the one that was attached is gone, so nothing was detached",
    ],
    [
      "rental",
      "bare-metal rental 1001 is another one by now (created at T, not at T): the one that volume 1 was attached to is gone, so nothing was detached",
    ],
  ] as const)("is removed without touching the neighbour's pair (%s)", async (what, said) => {
    const { rig, stack, giveAway, attachedTo } = await linked();
    await giveAway(what);
    const { errors, provider } = await stack.up(unlinked);
    expect(errors).toEqual({});
    expect(texts(provider, "info").map((text) => text.replace(times, "T"))).toEqual([said]);
    expect(rig.count("POST", paths.detach)).toBe(what === "volume" ? 1 : 0);
    expect(await attachedTo()).toBe("a");
    expect(stack.state.has("link")).toBe(false);
  });

  test.each(["volume", "rental"] as const)("is gone at the next refresh (%s)", async (what) => {
    const { stack, giveAway, attachedTo } = await linked();
    await giveAway(what);
    const { steps, provider } = await stack.refresh();
    expect(steps).toContain("gone link");
    expect(texts(provider, "warning").map((text) => text.replace(times, "T"))).toEqual([
      `${what === "volume" ? "storage volume 1" : "bare-metal rental 1001"} is another one by now (created at T, not at T): ` +
        "volume attachment 1:1001 no longer exists; `pulumi up` creates a new one if the program still has it",
    ]);
    expect(await attachedTo()).toBe("a");
    // The volume and the rental are still in the state, and are somebody else's: nothing is attached by their ids.
    const { errors } = await stack.up(program("b"));
    if (what === "volume") {
      expect(errors["link"]).toMatch(
        /^creating VolumeAttachment "link": it names StorageVolume "data", of which this must be settled first: storage volume 1 is labelled "neighbours-own" there, and this resource's is "data-[^"]+": it is somebody else's\. .* Nothing was attached or detached\.$/,
      );
      expect(await attachedTo()).toBe("a");
    } else {
      expect(errors).toEqual({});
      expect(await attachedTo()).toBe("ab");
    }
  });

  test("is not moved to another rental, because the volume is not the one that it was made for", async () => {
    const { rig, stack, giveAway, attachedTo } = await linked();
    await giveAway("volume");
    const attaches = rig.count("POST", paths.attach);
    const { errors } = await stack.up(program("b"));
    expect(errors["link"]?.replace(times, "T")).toBe(
      'updating VolumeAttachment "link": storage volume 1 is another one by now (created at T, not at T). Nothing was attached or detached. Run `pulumi up --refresh` if it is meant all the same.',
    );
    expect(rig.count("POST", paths.attach)).toBe(attaches);
    expect(await attachedTo()).toBe("a");
  });

  test("goes on with the rentals that are still its own", async () => {
    const { stack, giveAway, attachedTo } = await linked(["a", "b"]);
    await giveAway("rental");
    const { errors, provider } = await stack.up(program("b"));
    expect(errors).toEqual({});
    expect(texts(provider, "info")).toHaveLength(1);
    expect(await attachedTo()).toBe("ab");
    expect(stack.get("link").outputs).toMatchObject({ rentalIds: [1002] });
  });

  test("loses only that rental at a refresh", async () => {
    const { stack, giveAway, attachedTo } = await linked(["a", "b"]);
    await giveAway("rental");
    const { steps } = await stack.refresh();
    expect(steps).not.toContain("gone link");
    expect(stack.get("link").outputs).toMatchObject({ rentalIds: [1002] });
    expect(Object.keys(Object(stack.get("link").outputs[partsKey]).rentals)).toEqual(["1002"]);
    expect(await attachedTo()).toBe("ab");
  });

  test("is known by its label where the service does not show when something was created", async () => {
    const { rig, stack, giveAway, attachedTo } = await linked();
    const { outputs } = stack.get("link");
    const parts = Object(outputs[partsKey]);
    outputs[partsKey] = { ...parts, volume: { label: parts.volume.label } };
    await giveAway("volume");
    const { provider } = await stack.up(unlinked);
    expect(texts(provider, "info")).toEqual([
      "storage volume 1 is another one by now (with another label): the one that was attached is gone, so nothing was detached",
    ]);
    expect(await attachedTo()).toBe("a");
    expect(rig.count("POST", paths.detach)).toBe(1);
  });

  test("is known by the state's own entry where an older version wrote the attachment", async () => {
    const { stack, giveAway, attachedTo } = await linked();
    delete stack.get("link").outputs[partsKey];
    await giveAway("volume");
    const { errors, provider } = await stack.up(unlinked);
    expect(errors).toEqual({});
    expect(texts(provider, "info")).toEqual([
      "storage volume 1 is another one by now: the one that was attached is gone, so nothing was detached",
    ]);
    expect(await attachedTo()).toBe("a");
  });

  test("is told apart as well where volumes have an id of their own", async () => {
    const { stack, giveAway, attachedTo } = await linked(["a"], { emulator: { volumeIds: "separate" } });
    await giveAway("volume");
    expect((await stack.up(unlinked)).errors).toEqual({});
    expect(await attachedTo()).toBe("a");
  });
});

describe("What tells the parts of an attachment apart", () => {
  test("is hidden in its state, without the label that a person chose, and is no change", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const labelled = { type: "StorageVolume", inputs: { ...data.inputs, label: "a-secret-name" } };
    const all = { a: node, data: labelled, link: link("a") };
    await stack.up(all);
    const { outputs } = stack.get("link");
    expect(outputs[partsKey]).toEqual({
      volume: { createdAt: expect.any(String), label: expect.stringMatching(/^11:[\w-]{12}$/) },
      rentals: { 1001: { createdAt: expect.any(String), label: stack.get("a").outputs["label"] } },
      isTold: true,
    });
    expect(JSON.stringify(outputs)).not.toContain("secret");
    expect((await stack.up(all, { refresh: true })).steps).toContain("same link");
  });

  test("is kept where a create fails half-way, as the lists before have told", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    let looks = Number.NaN;
    const wire = intercepting(({ path }) => {
      if (path === paths.attach) looks = 0;
      if (path === paths.volumes) looks += 1;
      // The first shows that it is attached.
      return looks > 1 && path === paths.volumes ? answering(401, { error: "revoked" }) : undefined;
    });
    const { errors } = await stack.up(program("a"), { provider: rig.startProvider({}, { wire }) });
    expect(errors["link"]).toContain("answered 401");
    expect(stack.get("link").outputs[partsKey]).toMatchObject({
      volume: { createdAt: expect.any(String) },
      rentals: { [stack.get("a").id]: { createdAt: expect.any(String) } },
    });
  });

  test("is gained by a state of an older version at the next refresh", async () => {
    const { stack } = await linked();
    const { [partsKey]: parts, ...older } = stack.get("link").outputs;
    stack.state.set("link", { ...stack.get("link"), outputs: older });
    expect((await stack.up(program("a"), { refresh: true })).steps).toContain("same link");
    expect(stack.get("link").outputs[partsKey]).toEqual(parts);
  });
});

describe("A record with the id of a part", () => {
  const automatic = "data-abcdef-abcdefgh-abcdef";
  const view = (label?: string, createdAt?: string) => ({
    id: "1",
    status: "active",
    phase: "ready" as const,
    observedInputs: {},
    label,
    createdAt,
  });
  const early = "2026-09-12T12:00:00.400Z";
  const compare = (one: [string?, string?], other: [string?, string?]) =>
    whyAnother(identityOf(view(...one)), view(...other));

  test.each<[string, [string?, string?], [string?, string?]]>([
    ["a time that is rounded", ["data", early], ["data", "2026-09-12 12:00:00+00"]],
    ["a time that is missing", ["data", early], ["data"]],
    ["a time that is nonsense", ["data", early], ["data", "yesterday"]],
    ["the very automatic label, at another time", [automatic, early], [automatic, "2026-09-13T12:00:00Z"]],
    ["an automatic label that was cut since", [automatic], [automatic.slice(0, 14)]],
    ["an automatic label that is written otherwise", [automatic], [automatic.toUpperCase().replaceAll("-", "_")]],
    ["a chosen label that was cut since", ["training-data"], ["training"]],
    ["a chosen label that was cut before", ["training"], ["training-data"]],
    ["a chosen label that is written otherwise", ["training-data"], ["Training_Data"]],
    ["a label that is missing", ["training-data"], []],
    ["a label that is empty", ["training-data"], [""]],
    ["a label where there was none", [], ["training-data"]],
  ])("is the same one with %s", (_name, before, now) => {
    expect(compare(before, now)).toBeUndefined();
  });

  test.each<[string, [string?, string?], [string?, string?], string]>([
    [
      "a later time",
      ["data", early],
      ["data", "2026-09-12T12:00:02Z"],
      "created at 2026-09-12T12:00:02Z, not at 2026-09-12T12:00:00.400Z",
    ],
    ["another automatic label", [automatic], ["data-abcdef-abcdefgh-ghijkl"], "with another label"],
    ["a label in place of an automatic one", [automatic], ["neighbours-own"], "with another label"],
    ["another chosen label", ["data"], ["neighbours-own"], "with another label"],
    ["another label at the same time", ["data", early], ["neighbours-own", early], "with another label"],
  ])("is another one with %s", (_name, before, now, why) => {
    expect(compare(before, now)).toBe(why);
  });
});
