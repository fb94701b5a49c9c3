import { readSecrets } from "../../../provider/fronts/configuration";
import { hosted, InitError } from "../../../provider/fronts/dynamic/host";
import { secret } from "../../../provider/shared/secretValue";
import { getHandler } from "../../lifecycle/fakeEngine";
import { createRig, key, paths, type Surroundings } from "../../lifecycle/rig";
import { changingAnswer, changingList, intercepting, textOf } from "../../lifecycle/wire";

const urn = "urn:pulumi:test::rig::pulumi-nodejs:dynamic/gpufleet:BareMetalRental::train";
const given = { networkType: "infiniband", gpuCount: 8, __origin: `organization/${urn}`, __provider: "stub" };

/** A create through the host's adapter, on a service that is reached by this wire. */
async function created(wire: Surroundings["wire"], secrets: readonly string[] = [key]) {
  const rig = createRig();
  const runtime = rig.startProvider({}, wire ? { wire } : {});
  const handler = getHandler("BareMetalRental");
  const host = hosted(handler, () => ({ runtime, secrets: () => secrets }));
  const { inputs } = handler.check(runtime, {}, given);
  const outcome = await rig.run(host.create(inputs).catch((error: unknown) => error));
  return { rig, host, outcome };
}

function failed(outcome: unknown): InitError {
  if (outcome instanceof InitError) return outcome;
  throw new Error(`it was made: ${JSON.stringify(outcome)}`);
}

const leaking = changingList(paths.bareMetal, (items) =>
  items.map((item) => ({ ...item, status: `denied for Bearer ${key}` })),
);

describe("The key, where the service puts it into its answers", () => {
  test.each(["", "\n", "\r\n", "  "])("is not shown, also when it was given with %j behind it", async (end) => {
    const secrets = readSecrets(() => undefined, { GPUFLEET_API_KEY: `${key}${end}` });
    expect(secrets).toEqual([key]);
    const { message, properties, reasons } = failed((await created(leaking, secrets)).outcome);
    expect(message).toContain('has the unknown status "denied for Bearer [redacted]"');
    expect(JSON.stringify([message, properties, reasons])).not.toContain(key);
  });

  test("is not written into the state: not by a create, a read or an update", async () => {
    const spoiled = changingList(paths.bareMetal, (items) =>
      items.map((item) => ({ ...item, gpuFormFactor: `${key}!` })),
    );
    const { rig, host, outcome } = await created(spoiled);
    const text = JSON.stringify(outcome);
    expect(text).toContain("[redacted]!");
    expect(text).not.toContain(key);
    const { id, outs } = JSON.parse(text);
    const read = await rig.run(host.read(id, outs));
    expect(JSON.stringify(read)).not.toContain(key);
    const updated = await rig.run(host.update(id, outs, { ...given, label: outs.label, expiresAt: "8h" }));
    expect(JSON.stringify(updated)).not.toContain(key);
  });

  test("in both places is a secret: the environment's and the configuration's", () => {
    const secrets = readSecrets((name) => (name === "apiKey" ? " stored\n" : undefined), { GPUFLEET_API_KEY: "given" });
    expect(secrets).toEqual(["given", "stored"]);
  });
});

test("A label that a person chose shows neither in an id nor in what is attached, where it may be a secret", async () => {
  const rig = createRig();
  const runtime = rig.startProvider();
  const handler = getHandler("BareMetalRental");
  const host = hosted(handler, () => ({ runtime, secrets: () => [] }));
  const storageVolume = { isNew: true, label: "hidden-data", sizeInGb: 512 };
  const { inputs } = handler.check(runtime, {}, { ...given, label: "hidden-label", storageVolume });
  rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "reset-before" });
  expect(failed(await rig.run(host.create(inputs).catch((error: unknown) => error))).id).not.toContain("hidden");
  const made = await rig.run(handler.create(rig.startProvider(), inputs));
  expect(JSON.stringify(made.outputs["attachedStorage"])).not.toContain("hidden");
});

test("An invalid input is told without its value where it is a secret", async () => {
  const rig = createRig();
  const host = hosted(getHandler("BareMetalRental"), () => ({ runtime: rig.startProvider(), secrets: () => [] }));
  const storageVolume = { isNew: true, label: "hush hush??", sizeInGb: 512 };
  const asked = { ...given, label: "hush hush!!", storageVolume, networkType: "carrier" };
  const { failures } = await host.check({}, { ...asked, __secrets: ["label", "storageVolume"] });
  expect(JSON.stringify(failures)).not.toContain("hush");
  expect(failures).toContainEqual({ property: "", reason: expect.stringContaining("label must") });
  expect(failures).toContainEqual({ property: "", reason: expect.stringContaining('"carrier"') });
  expect(JSON.stringify(await host.check({}, asked))).toContain("hush hush!!");
});

test("What becomes a secret is written anew, so that it is one in the state, too", async () => {
  const { rig, host, outcome } = await created(undefined);
  const { id, outs } = JSON.parse(JSON.stringify(outcome));
  const news = { ...given, label: outs.label };
  expect((await rig.run(host.diff(id, outs, news))).changes).toBe(false);
  const hidden = { ...news, __secrets: ["label"] };
  expect((await rig.run(host.diff(id, outs, hidden))).changes).toBe(true);
  const updated = JSON.parse(JSON.stringify(await rig.run(host.update(id, outs, hidden))));
  expect((await rig.run(host.diff(id, updated.outs, hidden))).changes).toBe(false);
});

test("A time that has passed is told without it where it is a secret", async () => {
  const rig = createRig();
  const host = hosted(getHandler("BareMetalRental"), () => ({ runtime: rig.startProvider(), secrets: () => [] }));
  const asked = { ...given, expiresAt: "2020-01-01T00:00:00Z" };
  expect(JSON.stringify(await host.check({}, asked))).toContain("2020");
  const { failures } = await host.check({}, { ...asked, __secrets: ["expiresAt"] });
  expect(failures).toEqual([{ property: "", reason: expect.stringMatching(/^expiresAt has passed, so nothing/) }]);
});

test("A secret label stays one as what was asked for, through create, read and update, and no error shows it", async () => {
  const rig = createRig();
  let shown = (label: unknown) => String(label).toUpperCase();
  const wire = changingList(paths.bareMetal, (items) =>
    items.map((item) => ({ ...item, label: shown(item["label"]) })),
  );
  const runtime = rig.startProvider({}, { wire });
  const host = hosted(getHandler("BareMetalRental"), () => ({ runtime, secrets: () => [] }));
  const { inputs } = await host.check({}, { ...given, label: "hush-hush", __secrets: ["label"] });
  const { id, outs } = await rig.run(host.create(inputs));
  const asked = { __asked: { label: secret("hush-hush") } };
  expect(outs).toMatchObject({ label: "HUSH-HUSH", ...asked });
  // The engine hands a state over without marks.
  const state = { ...outs, __asked: { label: "hush-hush" } };
  expect(await rig.run(host.read(id, state))).toMatchObject({ props: asked });
  expect(await rig.run(host.update(id, state, { ...inputs, expiresAt: "8h" }))).toMatchObject({ outs: asked });
  shown = () => "theirs";
  rig.clock.advance(600_000);
  const error = await rig.run(host.delete(id, state).catch((failure: Error) => failure));
  expect(String(error?.message)).toMatch(/is labelled "theirs" there, and this resource's is "\[redacted\]"/);
});

describe("An answer that is made to harm", () => {
  test("by its depth does not lose the id of what was rented", async () => {
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    const wire = intercepting(({ method, path }, send) => {
      if (method !== "GET" || path !== paths.bareMetal) return undefined;
      return send().then(async (answer) => {
        const text = (await textOf(answer)).replaceAll('"termType":', `"note":${deep},"termType":`);
        const body = (async function* () {
          yield Buffer.from(text);
        })();
        return { ...answer, body };
      });
    });
    const { rig, outcome } = await created(wire);
    expect(outcome).toMatchObject({ id: "1001" });
    expect(rig.billing()).toEqual([1001]);
  });

  test("by its keys does not lose the id of what was rented", async () => {
    const wire = changingAnswer("POST", paths.bareMetal, (rental) => ({
      ...rental,
      ...JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1, "toString": "x"}'),
    }));
    const { outcome } = await created(wire);
    expect(outcome).toMatchObject({ id: "1001" });
    expect({}).not.toHaveProperty("polluted");
  });
});

test.each([
  ["in capitals", (label: string) => label.toUpperCase()],
  ["cut", (label: string) => label.slice(0, 14)],
  ["with other separators", (label: string) => label.replaceAll("-", "_")],
])("A secret label that the service writes %s shows in no error", async (_, write) => {
  const rig = createRig();
  rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "reset-after" });
  const wire = changingList(paths.bareMetal, (items) =>
    items.map((item) => ({ ...item, label: write(String(item["label"])) })),
  );
  const runtime = rig.startProvider({}, { wire });
  const host = hosted(getHandler("BareMetalRental"), () => ({ runtime, secrets: () => [] }));
  const { inputs } = await host.check({}, { ...given, label: "acme-merger-2027", __secrets: ["label"] });
  const { message, reasons } = failed(await rig.run(host.create(inputs).catch((error: unknown) => error)));
  expect(message).toContain('bare-metal rental 1001 "[redacted]"');
  expect(JSON.stringify([message, reasons])).not.toMatch(/acme.merger/i);
});
