import { Stop } from "../../provider/fronts/plugin/stop";
import { unknownValue } from "../../provider/shared/unknown";
import { FakeEngine, type Program } from "../lifecycle/fakeEngine";
import { createRig, paths } from "../lifecycle/rig";
import { answering, changingList, intercepting, type Wire } from "../lifecycle/wire";
import { type Change, subjectOf } from "./decisions";

const { decide, diff, accept, properties, reasons } = subjectOf("VolumeAttachment");
const base = { storageVolumeId: 5, rentalIds: [1, 2] };
const attached = { status: "attached" };

const changes: Record<string, Change[]> = {
  storageVolumeId: [{ to: { storageVolumeId: 6 }, becomes: "replace" }],
  rentalIds: [
    { to: { rentalIds: [2, 1] }, becomes: "nothing" },
    { to: { rentalIds: [1, 2, 3] }, becomes: "update" },
    { to: { rentalIds: [3] }, becomes: "update" },
  ],
  waitForReady: [{ to: { waitForReady: false }, becomes: "update" }],
  timeouts: [{ to: { timeouts: { delete: "5m" } }, becomes: "update" }],
  adoptId: [{ to: { adoptId: "5:1,2" }, becomes: "nothing" }],
};

describe("A change of an attachment", () => {
  test("is decided for every input", () => {
    expect(Object.keys(changes).sort()).toEqual([...properties].sort());
  });

  const cases = Object.entries(changes).flatMap(([input, table]) => table.map((change) => ({ input, ...change })));
  test.each(cases)("of $input to $to: $becomes", ({ to, becomes }) => {
    expect(decide(base, { ...base, ...to }, attached, "5:1,2")).toBe(becomes);
  });

  test("to rentals that are unknown as yet, as one list or one by one, is made in place", () => {
    const inputs = accept(base);
    for (const rentalIds of [unknownValue, [1, unknownValue]]) {
      expect(diff(inputs, accept({ ...base, rentalIds }, inputs))).toEqual({
        changes: true,
        replaces: [],
        updates: ["rentalIds"],
      });
    }
  });
});

test("The check of an attachment names every constraint that is not met", () => {
  expect(reasons({ storageVolumeId: 1.5, rentalIds: [] })).toEqual([
    "storageVolumeId must be an integer, not 1.5",
    "rentalIds must have at least 1 item, not (a list of 0)",
  ]);
  expect(reasons({ rentalIds: [-1, "2"] })).toEqual([
    "storageVolumeId is required (a number)",
    "rentalIds[0] must be more than 0, not -1",
    'rentalIds[1] must be a number, not "2"',
  ]);
  expect(reasons({ ...base, adoptId: "5" })).toEqual([
    'adoptId must be the id of an attachment, "<volume>:<rental>,<rental>", not "5"',
  ]);
});

describe("An attachment", () => {
  const node = { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } };
  const data = { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } };
  const link = (...names: string[]) => ({
    type: "VolumeAttachment",
    inputs: (ids: Readonly<Record<string, string>>) => ({
      storageVolumeId: Number(ids["data"]),
      rentalIds: names.map((name) => Number(ids[name])),
    }),
  });
  const program = (...names: string[]): Program => ({ a: node, b: node, c: node, data, link: link(...names) });

  async function linked(...names: string[]) {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    expect((await stack.up(program(...names))).errors).toEqual({});
    const attachedTo = async () => (await rig.run(rig.client.listStorageVolumes()))[0]?.attachedRentals;
    return { rig, stack, attachedTo };
  }

  test("that names a rental twice does not let go of what another one holds", async () => {
    const { stack, attachedTo } = await linked("a");
    const both = { ...program("a"), double: link("a", "a") };
    expect((await stack.up(both)).errors).toEqual({});
    expect((await stack.up(program("a"))).errors).toEqual({});
    expect(await attachedTo()).toEqual([Number(stack.get("a").id)]);
  });

  test("has the id of its volume and the rentals at creation, and keeps it", async () => {
    const { stack, attachedTo } = await linked("a");
    const { id } = stack.get("link");
    expect(id).toBe(`${stack.get("data").id}:${stack.get("a").id}`);
    await stack.up(program("a", "b"));
    expect(stack.get("link").id).toBe(id);
    expect(await attachedTo()).toEqual([Number(stack.get("a").id), Number(stack.get("b").id)]);
  });

  test("shares a volume with another one, and neither disturbs the other", async () => {
    const { rig, stack, attachedTo } = await linked("a");
    const both = { ...program("a"), second: link("b", "c") };
    expect((await stack.up(both)).errors).toEqual({});
    expect(await attachedTo()).toHaveLength(3);
    expect((await stack.up({ ...program("a"), second: link("c") }, { refresh: true })).errors).toEqual({});
    expect(await attachedTo()).toEqual([Number(stack.get("a").id), Number(stack.get("c").id)]);
    await stack.up(program("a"));
    expect(await attachedTo()).toEqual([Number(stack.get("a").id)]);
    await stack.destroy();
    expect(rig.billing()).toEqual([]);
  });

  test("whose reply is lost, attaching or detaching, is seen to hold or sent again", async () => {
    const { rig, stack, attachedTo } = await linked("a");
    for (const kind of ["reset-after", "reset-before"] as const) {
      rig.fault(
        { match: { method: "POST", path: paths.attach }, kind },
        { match: { method: "POST", path: paths.detach }, kind },
      );
      expect((await stack.up(program("b"))).errors).toEqual({});
      expect(await attachedTo()).toEqual([Number(stack.get("b").id)]);
      expect((await stack.up(program("a"))).errors).toEqual({});
    }
  });

  /** A service that carries out every attach, and answers so. */
  const attachesAndAnswers = (status: number, body: unknown): Wire =>
    intercepting(({ path }, send) => (path === paths.attach ? send().then(() => answering(status, body)) : undefined));

  test.each([
    ["nothing", 200, ""],
    ["204", 204, ""],
    ["a message alone", 200, { message: "attached" }],
    ["no rentals", 200, { storageVolumeId: 1, attachedRentalIds: null, message: "ok" }],
  ])("that is answered with %s is accepted, and sent once", async (_, status, body) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const provider = rig.startProvider({}, { wire: attachesAndAnswers(status, body) });
    expect((await stack.up(program("a"), { provider })).errors).toEqual({});
    expect(rig.count("POST", paths.attach)).toBe(1);
  });

  test("of which no reply ever arrives is believed when lists show it", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const provider = rig.startProvider({}, { wire: attachesAndAnswers(502, "bad gateway") });
    expect((await stack.up(program("a"), { provider })).errors).toEqual({});
    expect(rig.count("POST", paths.attach)).toBe(3);
  });

  test("that a 200 refuses in its body is refused, in the service's words", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const wire = intercepting(({ path }) =>
      path === paths.attach ? answering(200, { success: false, error: "the volume is busy" }) : undefined,
    );
    const { errors } = await stack.up(program("a"), { provider: rig.startProvider({}, { wire }) });
    expect(errors["link"]).toBe('creating VolumeAttachment "link": the volume is busy');
    expect(stack.state.has("link")).toBe(false);
  });

  describe("that nobody waits for", () => {
    const unawaited = (...names: string[]): Program => {
      const { inputs } = link(...names);
      const all = program();
      return { ...all, link: { ...link(), inputs: (ids) => ({ ...inputs(ids), waitForReady: false }) } };
    };
    /** A service that answers an attach and does nothing for this rental. */
    const ignoring = (rental: number): Wire =>
      intercepting(({ method, path }) =>
        method === "POST" && path === paths.attach
          ? answering(200, { storageVolumeId: 1, attachedRentalIds: [rental], message: "attached" })
          : undefined,
      );

    test("and that is accepted without effect is an error that keeps it, and the next up goes on", async () => {
      const rig = createRig();
      const stack = new FakeEngine(rig);
      const { link: _, ...without } = program();
      await stack.up(without);
      const [a, b] = [Number(stack.get("a").id), Number(stack.get("b").id)];
      const provider = rig.startProvider({}, { wire: ignoring(a) });
      expect((await stack.up(unawaited("a", "b"), { provider })).errors["link"]).toBe(
        `creating VolumeAttachment "link": the service accepted to attach volume 1 to rentals ${a}, ${b}, but did not. It is in the state with id 1:${a},${b}. The next \`pulumi up\` checks it again. \`pulumi destroy\` terminates it.`,
      );
      expect((await stack.up(unawaited("a", "b"))).errors).toEqual({});
      expect((await rig.run(rig.client.listStorageVolumes()))[0]?.attachedRentals).toEqual([a, b]);
    });

    test("is believed where no record says what a volume is attached to", async () => {
      const rig = createRig();
      const stack = new FakeEngine(rig);
      const wire = changingList(paths.volumes, (items) => items.map(({ attachedRentals: _, ...item }) => item));
      const provider = () => rig.startProvider({}, { wire });
      expect((await stack.up(unawaited("a", "b"), { provider: provider() })).errors).toEqual({});
      expect((await stack.up(unawaited("a", "b"), { provider: provider() })).errors).toEqual({});
    });

    test("and to which a rental is added without effect is an error", async () => {
      const { rig, stack } = await linked("a");
      const b = Number(stack.get("b").id);
      const provider = rig.startProvider({}, { wire: ignoring(b) });
      expect((await stack.up(unawaited("a", "b"), { provider })).errors["link"]).toContain(
        `updating VolumeAttachment "link": the service accepted to attach volume 1 to rental ${b}, but did not.`,
      );
    });

    test("gets a further rental although one that it had has ended since", async () => {
      const { rig, stack, attachedTo } = await linked("a");
      await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: Number(stack.get("a").id) }));
      rig.clock.advance(60);
      expect((await stack.up(unawaited("a", "b"))).errors).toEqual({});
      expect(await attachedTo()).toEqual([Number(stack.get("b").id)]);
    });
  });

  const missing = { kind: "status" as const, status: 404, body: { error: "volume not found" } };

  test("whose detach is accepted without effect while lists lack the volume is detached all the same", async () => {
    const { rig, stack, attachedTo } = await linked("a", "b");
    rig.fault(
      { match: { method: "POST", path: paths.detach }, kind: "status", status: 202, body: {} },
      { match: { method: "GET", path: paths.volumes }, kind: "omit", times: 2 },
    );
    expect((await stack.up(program("b"))).errors).toEqual({});
    expect(await attachedTo()).toEqual([Number(stack.get("b").id)]);
  });

  const unheeded = { match: { method: "POST", path: paths.detach }, kind: "status" as const, status: 204, body: "" };

  test("whose detach is accepted without effect, again and again, stays in the state, and is detached by the next run", async () => {
    const { rig, stack, attachedTo } = await linked("a");
    const { link: _, ...without } = program("a");
    rig.fault({ ...unheeded, times: 3 });
    const startedAt = rig.clock.now();
    const [volume, a] = [stack.get("data").id, stack.get("a").id];
    expect((await stack.up(without)).errors["link"]).toContain(
      `deleting VolumeAttachment "link": the service accepted 3 times to detach volume ${volume} from rental ${a}, but still lists it as attached. It stays in the state: detach it in the service's console and run this again.`,
    );
    expect(rig.clock.now() - startedAt).toBeGreaterThan(120_000);
    expect(stack.state.has("link")).toBe(true);
    expect(await attachedTo()).toEqual([Number(a)]);
    expect((await stack.up(without)).errors).toEqual({});
    expect(await attachedTo()).toEqual([]);
  });

  test("whose move ends half-way, because a detach has no effect, has both pairs in the state", async () => {
    const { rig, stack, attachedTo } = await linked("a");
    rig.fault({ ...unheeded, times: 3 });
    expect((await stack.up(program("b"))).errors["link"]).toContain("but still lists it as attached");
    expect(stack.get("link").outputs["rentalIds"]).toEqual([Number(stack.get("a").id), Number(stack.get("b").id)]);
    const { link: _, ...without } = program("a");
    expect((await stack.up(without)).errors).toEqual({});
    expect(await attachedTo()).toEqual([]);
  });

  test("whose move is done, and whose look after it fails, is in the state as it is now", async () => {
    const { rig, stack, attachedTo } = await linked("a");
    let looks = Number.NaN;
    const wire = intercepting(async ({ path }, send) => {
      if (path === paths.detach) looks = 0;
      if (path === paths.volumes) looks += 1;
      // The first shows that it is detached.
      return looks > 1 ? answering(200, "<html>") : send();
    });
    const moved = await stack.up(program("b"), { provider: rig.startProvider({}, { wire }) });
    expect(moved.errors["link"]).toContain("the answer could not be read");
    expect(stack.get("link").outputs["rentalIds"]).toContain(Number(stack.get("b").id));
    const { link: _, ...without } = program("b");
    expect((await stack.up(without)).errors).toEqual({});
    expect(await attachedTo()).toEqual([]);
  });

  test("that lists show for a while after it was detached is waited for", async () => {
    const { rig, stack, attachedTo } = await linked("a");
    const { link: _, ...without } = program("a");
    rig.clock.advance(300);
    rig.fault({ match: { method: "GET", path: paths.volumes }, kind: "stale-list", seconds: 119, times: 1000 });
    expect((await stack.up(without)).errors).toEqual({});
    rig.emulator.faults.clear();
    expect(stack.state.has("link")).toBe(false);
    expect(await attachedTo()).toEqual([]);
  });

  test("whose detach is refused while lists lack the volume stays in the state, and is detached by the next run", async () => {
    const { rig, stack, attachedTo } = await linked("a");
    const { link: _, ...without } = program("a");
    rig.fault(
      { match: { method: "POST", path: paths.detach }, ...missing },
      { match: { method: "GET", path: paths.volumes }, kind: "omit", nth: 2, times: 2 },
    );
    expect((await stack.up(without)).errors["link"]).toContain("volume not found");
    expect(stack.state.has("link")).toBe(true);
    expect((await stack.up(without)).errors).toEqual({});
    expect(await attachedTo()).toEqual([]);
  });

  test("whose volume vanishes while it is being detached is gone, too", async () => {
    const { rig, stack } = await linked("a");
    const { link: _, ...without } = program("a");
    rig.fault(
      { match: { method: "POST", path: paths.detach }, times: 99, ...missing },
      { match: { method: "GET", path: paths.volumes }, kind: "omit", nth: 2, times: 99 },
    );
    expect((await stack.up(without)).errors).toEqual({});
    expect(stack.state.has("link")).toBe(false);
  });

  /** A service that carries out a request and then says that it was so already, and whose lists lag by a minute. */
  const carriedOutBefore = (path: string, error: string) =>
    intercepting((request, send) =>
      request.path === path && request.method === "POST" ? send().then(() => answering(409, { error })) : undefined,
    );
  const lagging = {
    match: { method: "GET", path: paths.volumes },
    times: 99,
    kind: "stale-list",
    seconds: 60,
  } as const;

  test("that is refused as attached already is believed once lists that lag show it", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const { link: _, ...without } = program("a");
    await stack.up(without);
    rig.clock.advance(600);
    rig.fault(lagging);
    const wire = carriedOutBefore(paths.attach, "rental is already attached to this volume");
    const { steps, errors } = await stack.up(program("a"), { provider: rig.startProvider({}, { wire }) });
    expect({ steps, errors }).toMatchObject({ steps: expect.arrayContaining(["create link"]), errors: {} });
    expect(rig.count("POST", paths.attach)).toBe(1);
  });

  test("whose detach is refused as not attached is believed once lists that lag show it", async () => {
    const { rig, stack } = await linked("a");
    const { link: _, ...without } = program("a");
    rig.clock.advance(600);
    rig.fault(lagging);
    const wire = carriedOutBefore(paths.detach, "rental is not attached to this volume");
    expect((await stack.up(without, { provider: rig.startProvider({}, { wire }) })).errors).toEqual({});
    expect(stack.state.has("link")).toBe(false);
    expect(rig.count("POST", paths.detach)).toBe(1);
  });

  test("that is refused as attached already, and that no list of the time that they may lag shows, is an error", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const { link: _, ...without } = program("a");
    await stack.up(without);
    const refused = { kind: "status" as const, status: 409, body: { error: "rental is already attached" } };
    rig.fault({ match: { method: "POST", path: paths.attach }, times: 99, ...refused });
    const start = rig.clock.now();
    expect((await stack.up(program("a"))).errors["link"]).toContain("rental is already attached");
    expect(rig.clock.now() - start).toBeLessThan(150_000);
    expect(rig.count("POST", paths.attach)).toBe(1);
  });

  test("in which one rental is missing shows as a change, and is completed", async () => {
    const { rig, stack, attachedTo } = await linked("a", "b");
    const [volume, b] = [Number(stack.get("data").id), Number(stack.get("b").id)];
    await rig.run(rig.client.detachStorageVolume({ storageVolumeId: volume, rentalIds: [b] }));
    expect((await stack.up(program("a", "b"), { refresh: true })).steps).toContain("update link");
    expect(await attachedTo()).toHaveLength(2);
  });

  test("that the service refuses while the volume is not active yet is sent again, and not for ever", async () => {
    const rig = createRig({ emulator: { provisionSeconds: 20 } });
    const stack = new FakeEngine(rig);
    const young = { ...data, inputs: { ...data.inputs, waitForReady: false } };
    await stack.up({ a: node, data: young });
    const inactive = { kind: "status" as const, status: 409, body: { error: "the volume is not active" } };
    const late = await stack.up({
      a: node,
      data: young,
      more: { ...data, inputs: { ...young.inputs, sizeInGb: 512 } },
    });
    expect(late.errors).toEqual({});
    rig.fault({ match: { method: "POST", path: paths.attach }, times: 3, ...inactive });
    const link = (volume: string) => ({
      type: "VolumeAttachment",
      inputs: (ids: Record<string, string | undefined>) => ({
        storageVolumeId: Number(ids[volume]),
        rentalIds: [Number(ids["a"])],
      }),
    });
    const all = { a: node, data: young, more: { ...data, inputs: { ...young.inputs, sizeInGb: 512 } } };
    expect((await stack.up({ ...all, link: link("more") })).errors).toEqual({});
    rig.clock.advance(60);
    rig.fault({ match: { method: "POST", path: paths.attach }, times: 3, ...inactive });
    const { errors } = await stack.up({ ...all, link: link("more"), other: link("data") });
    expect(errors["other"]).toContain("the volume is not active");
  });

  test("to a rental that is not there is refused in the service's words", async () => {
    const { stack } = await linked("a");
    const wrong = {
      type: "VolumeAttachment",
      inputs: { storageVolumeId: Number(stack.get("data").id), rentalIds: [9] },
    };
    expect((await stack.up({ ...program("a"), wrong })).errors["wrong"]).toBe(
      'creating VolumeAttachment "wrong": POST /v2/alpha/on-demand/storage-volumes/attach answered 400: rentalIds: rental 9 not found',
    );
    expect(stack.state.has("wrong")).toBe(false);
  });

  test("that a first ^C meets right after the service has attached is in the state, and is detached by the next run", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const rest: Program = { a: node, data };
    await stack.up(rest);
    rig.clock.advance(600);
    const stop = new Stop();
    const cancelled = intercepting(({ path }, send) =>
      path === paths.attach
        ? send().then((answer) => {
            stop.now("cancelled");
            return answer;
          })
        : undefined,
    );
    const wire: Wire = (transport) => stop.transport(cancelled(transport));
    const provider = rig.startProvider({}, { wire, clock: stop.clock(rig.clock) });
    const { errors } = await stack.up({ ...rest, link: link("a") }, { provider });
    expect(errors["link"]).toContain("cancelled");
    expect(stack.get("link").id).toBe("1:1001");
    expect((await stack.up(rest, { refresh: true })).errors).toEqual({});
    expect((await rig.run(rig.client.listStorageVolumes()))[0]?.attachedRentals).toEqual([]);
  });

  test("is dropped with a warning where the service has no way to detach, and does not hold up its rental", async () => {
    const rig = createRig({ emulator: { dialect: "none" } });
    const stack = new FakeEngine(rig);
    await stack.up(program("a"));
    const { errors, provider } = await stack.up({ a: node, b: node, c: node, data });
    expect(errors).toEqual({});
    expect(provider.shown.filter(({ kind }) => kind === "warning").map(({ text }) => text)).toEqual([
      `volume ${stack.get("data").id} stays attached to ${stack.get("a").id}, because the service has no detach operation; ` +
        "the attachment ends with the rental",
    ]);
    expect(stack.state.has("link")).toBe(false);
  });

  test("that exists is adopted by another name, and stays attached", async () => {
    const { stack, attachedTo } = await linked("a");
    const { id } = stack.get("link");
    const { inputs } = link("a");
    const adopted = (adoptId: string) => ({
      type: "VolumeAttachment",
      inputs: (ids: Readonly<Record<string, string>>) => ({ ...inputs(ids), adoptId }),
    });
    const wrong = await stack.up({ ...program("a"), other: adopted(`${stack.get("data").id}:9`) });
    expect(wrong.errors["other"]).toBe(
      `creating VolumeAttachment "other": volume attachment ${stack.get("data").id}:9 cannot be adopted, because it differs from the program: rentalIds is [9], not [${stack.get("a").id}]. Change the program, or remove adoptId to attach the volume.`,
    );
    const renamed = { a: node, b: node, c: node, data, other: adopted(id) };
    expect((await stack.up(renamed)).errors).toEqual({});
    expect([...stack.state.keys()]).not.toContain("link");
    expect(stack.get("other").id).toBe(id);
    expect(await attachedTo()).toEqual([Number(stack.get("a").id)]);
  });

  test("that does not exist is not adopted", async () => {
    const { stack } = await linked("a");
    const [volume, b] = [Number(stack.get("data").id), Number(stack.get("b").id)];
    const inputs = { storageVolumeId: volume, rentalIds: [b], adoptId: `${volume}:${b}` };
    const { errors } = await stack.up({ ...program("a"), none: { type: "VolumeAttachment", inputs } });
    expect(errors["none"]).toBe(
      `creating VolumeAttachment "none": volume attachment ${volume}:${b} (attached to 0 of 1) cannot be adopted, because it differs from the program: rentalIds is [], not [${b}]. Change the program, or remove adoptId to create a new one.`,
    );
  });
});
