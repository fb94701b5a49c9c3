import { TransportError } from "../../../provider/client";
import { FakeEngine } from "../fakeEngine";
import { createRig, paths } from "../rig";
import { answering, changingAnswer, changingList, intercepting, live, type Wire } from "../wire";

const fields = { networkType: "infiniband", gpuCount: 8, region: "us-central-1" } as const;
const train = { type: "BareMetalRental", inputs: fields };

/** What a service may make of a label. */
const rewritings: [string, (label: string) => string | null][] = [
  ["drops labels", () => null],
  ["writes labels in capitals", (label) => label.toUpperCase()],
];

describe("A create that a service has carried out long before its outcome is in doubt", () => {
  test.each(rewritings)("is named, and not sent again, where the service %s", async (_, rewrite) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    let isMade = false;
    const cutting = intercepting((request, send) => {
      if (request.method !== "POST" || request.path !== paths.bareMetal || isMade) return undefined;
      isMade = true;
      return send()
        .then(() => rig.clock.sleep(90_000))
        .then(() => {
          throw new TransportError("no answer within 90 s", { sent: "maybe" });
        });
    });
    const changing = changingList(paths.bareMetal, (items) =>
      items.map((item) => ({ ...item, label: rewrite(String(item["label"])) })),
    );
    const wire: Wire = (send) => cutting(changing(send));
    for (const wait of [600, 0]) {
      const { errors } = await stack.up({ train }, { provider: rig.startProvider({}, { wire }) });
      expect(errors["train"]).toContain("bare-metal rental 1001");
      expect(errors["train"]).toContain("may be it");
      rig.clock.advance(wait);
    }
    expect(live(rig)).toEqual([1001]);
  });
});

test("A refused create is not in doubt beside what somebody has rented in another region", async () => {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  const wire = intercepting((request) => {
    if (request.method !== "POST" || request.path !== paths.bareMetal) return undefined;
    const colleague = rig.client.createBareMetalRental({ ...fields, region: "eu-west-4", gpuType: "h100" });
    return colleague.then(() => answering(400, { error: "no capacity in this region" }));
  });
  const { errors } = await stack.up({ train }, { provider: rig.startProvider({}, { wire }) });
  expect(errors["train"]).toContain("no capacity in this region");
  expect(stack.state.size).toBe(0);
});

test("A create whose time is up gives its id back then, and does not ask another list in vain for long", async () => {
  const rig = createRig({ emulator: { provisionSeconds: 7200 } });
  const stack = new FakeEngine(rig);
  const withoutVolume = changingAnswer("POST", paths.bareMetal, ({ meta: _, ...rental }) => rental);
  let isMade = false;
  const putOff = intercepting((request) => {
    isMade ||= request.method === "POST" && request.path === paths.bareMetal;
    const isAsked = request.path === paths.volumes && isMade;
    return isAsked ? answering(429, { error: "slow down" }, { "retry-after": "55" }) : undefined;
  });
  const wire: Wire = (send) => putOff(withoutVolume(send));
  const start = rig.clock.now();
  const storageVolume = { isNew: true, label: "train-data", sizeInGb: 512 };
  const it = { ...train, inputs: { ...fields, timeouts: { create: "1m" }, storageVolume } };
  await stack.up({ it }, { provider: rig.startProvider({}, { wire }) });
  expect(rig.clock.now() - start).toBeLessThan(120_000);
  expect(stack.get("it").id).toBe("1001");
});

test("A refused create does not wait for one that the service has put off: that has made nothing", async () => {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  let isFirst = true;
  const wire = intercepting((request) => {
    if (request.method !== "POST" || request.path !== paths.bareMetal) return undefined;
    if (request.body["gpuCount"] !== 8) return answering(429, { error: "slow down" }, { "retry-after": "30" });
    if (!isFirst) return undefined;
    isFirst = false;
    // Somebody else rents one at the same moment.
    const another = rig.client.createBareMetalRental({ ...fields });
    return another.then(() => answering(400, { error: "no capacity" }));
  });
  const putOff = { type: "BareMetalRental", inputs: { ...fields, gpuCount: 16 } };
  const { errors } = await stack.up({ train, putOff }, { provider: rig.startProvider({}, { wire }) });
  expect(errors["train"] ?? "").not.toMatch(/for \d+m/);
  expect(errors["train"]).toContain("bare-metal rental 1001");
});

describe("A volume that is created with a rental of the same run is nobody else's", () => {
  const data = (more: object = {}) => ({
    type: "StorageVolume",
    inputs: { region: "us-central-1", sizeInGb: 512, ...more },
  });
  const withVolume = (label: string, more: object = {}) => ({
    type: "BareMetalRental",
    inputs: { ...fields, ...more, storageVolume: { isNew: true, label, sizeInGb: 512 } },
  });
  const withoutLabels = changingList(paths.volumes, (items) => items.map((item) => ({ ...item, label: null })));

  test.each([
    ["the same label", { label: "train-data" }, (send: Parameters<Wire>[0]) => send],
    ["a label that is part of it", { label: "data" }, (send: Parameters<Wire>[0]) => send],
    ["labels that the service drops", {}, withoutLabels],
  ])("and no outcome of a volume that is refused beside it, with %s", async (_, label, changing: Wire) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const refusing = intercepting((request) =>
      request.method === "POST" && request.path === paths.volumes
        ? rig.clock.sleep(5000).then(() => answering(403, { error: "quota of volumes exceeded" }))
        : undefined,
    );
    const program = { train: withVolume("train-data"), data: data(label) };
    const up = await stack.up(program, {
      provider: rig.startProvider({}, { wire: (send) => refusing(changing(send)) }),
    });
    expect(up.errors["data"]).toMatch(/quota of volumes exceeded$/);
    // The same in a later run, by what the state has.
    const later = await stack.up(program, {
      provider: rig.startProvider({}, { wire: (send) => refusing(changing(send)) }),
    });
    expect(later.errors["data"]).toMatch(/quota of volumes exceeded$/);
    expect([...stack.state.keys()]).toEqual(["train"]);
  });

  test.each([
    ["a StorageVolume", { other: data({ label: "my-data" }) }, paths.volumes],
    ["another rental", { other: withVolume("my-data", { gpuCount: 16 }) }, paths.bareMetal],
  ])("nor left by a rental that is refused beside %s: nobody is told to delete it", async (_, sibling, path) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const slow = intercepting((request, send) => {
      if (request.method !== "POST") return undefined;
      if (request.path === paths.bareMetal && request.body["gpuCount"] === 8)
        return rig.clock.sleep(1000).then(() => answering(400, { error: "no capacity" }));
      if (request.path !== path) return undefined;
      return send().then((answer) => rig.clock.sleep(3000).then(() => answer));
    });
    // Lists show them attached only a while after.
    const start = rig.clock.now();
    const lazily = changingList(paths.volumes, (items) =>
      rig.clock.now() - start < 10_000 ? items.map((item) => ({ ...item, attachedRentals: [] })) : items,
    );
    const withoutMeta = changingAnswer("POST", paths.bareMetal, ({ meta: _meta, ...rental }) => rental);
    const provider = rig.startProvider({}, { wire: (send) => slow(lazily(withoutMeta(send))) });
    const { errors } = await stack.up({ ...sibling, train: withVolume("my-data") }, { provider });
    expect(Object.keys(errors)).toEqual(["train"]);
    expect(provider.shown.filter(({ kind }) => kind === "warning")).toEqual([]);
  });
});
