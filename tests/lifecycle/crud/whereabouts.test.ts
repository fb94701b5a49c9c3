import { oneWay, type Values } from "../../../provider/lifecycle";
import { handlers } from "../../../provider/resources";
import { unknownValue } from "../../../provider/shared/unknown";
import type { FakeEngine, Outcome } from "../fakeEngine";
import { baseUrl, key, paths, type Rig, type Surroundings } from "../rig";
import { changingList, live } from "../wire";
import { bargain, box, data, everything, expiring, running, train } from "./placedStack";

const other = "https://other.example";
const origin = "organization/urn:pulumi:test::rig::pulumi-nodejs:dynamic/gpufleet:BareMetalRental::new";
const elsewhere: Surroundings = { service: { addresses: { v2: other, v1: other } } };
const refused = (from: string, to: string) =>
  `it is at ${from}, but the configuration says ${to}, so nothing was read, changed or terminated. Set GPUFLEET_BASE_URL or ` +
  `gpufleet:baseUrl back to ${from}; or, if the service itself has moved, set GPUFLEET_MOVED_FROM or gpufleet:movedFrom to ${from}.`;

describe("Where a machine is", () => {
  test("is kept in the state, with one-way values of its account and of the key, and nothing else of them, and when it was created", async () => {
    const { stack } = await running(everything);
    for (const { name, outputs } of stack.state.values()) {
      expect(outputs["__where"]).toEqual({
        address: baseUrl,
        key: "rig",
        ...(name === "link" ? {} : { created: "2026-09-12T12:00:00.000Z" }),
        ...(name === "bargain" ? { hasOwnId: true } : { account: expect.stringMatching(/^[\w-]{12}$/) }),
      });
    }
    expect(JSON.stringify([...stack.state])).not.toContain(key);
    expect(oneWay("key", "secret")).not.toBe(oneWay("account", "secret"));
  });

  test("is among the inputs before a create begins, and stays there with another key; a preview leaves it open, and an adoption has none", async () => {
    const { rig, stack } = await running(everything);
    const sentTo = { address: baseUrl, key: "rig" };
    for (const { name, inputs } of stack.state.values()) {
      expect(inputs["__where"]).toEqual(name === "link" ? undefined : sentTo);
    }
    const handler = handlers.get("BareMetalRental");
    const runtime = rig.startProvider({}, { service: { key: "rotated" } });
    const check = (olds: Values, more: Values = {}) =>
      handler?.check(runtime, olds, { __origin: origin, ...train.inputs, ...more }).inputs["__where"];
    expect(check({})).toEqual({ address: baseUrl, key: "rotated" });
    expect(check({ __where: sentTo })).toEqual(sentTo);
    expect(check({ label: "of an older version" })).toBeUndefined();
    expect(check({}, { __preview: true })).toBe(unknownValue);
    expect(check({}, { adoptId: "1001" })).toBeUndefined();
  });
});

describe("Another address", () => {
  test("of the v1 interface alone is named by its own setting", async () => {
    const { rig, stack } = await running(everything);
    const service = { addresses: { v2: baseUrl, v1: other } };
    const { errors } = await stack.refresh(rig.startProvider({}, { service }));
    expect(Object.keys(errors)).toEqual(["bargain"]);
    expect(errors["bargain"]).toContain(`Set GPUFLEET_V1_BASE_URL or gpufleet:v1BaseUrl back to ${baseUrl};`);
  });

  const commands: [string, (stack: FakeEngine, provider: ReturnType<Rig["startProvider"]>) => Promise<Outcome>][] = [
    ["refresh", (stack, provider) => stack.refresh(provider)],
    ["up", (stack, provider) => stack.up(everything, { provider })],
    ["up with refresh", (stack, provider) => stack.up(everything, { provider, refresh: true })],
    ["up with a change in place", (stack, provider) => stack.up(expiring, { provider })],
    ["destroy", (stack, provider) => stack.destroy({ provider })],
  ];

  test.each(commands)("is refused by %s, which names both and asks nothing", async (_, run) => {
    const { rig, stack, before, asked } = await running(everything);
    const { errors } = await run(stack, rig.startProvider({}, elsewhere));
    // What depends on one that was refused is not tried.
    const own = Object.values(errors).filter((error) => !error.startsWith("what it depends on"));
    for (const error of own) expect(error).toContain(refused(baseUrl, other));
    expect(own.length).toBeGreaterThan(0);
    expect([...stack.state]).toEqual(before);
    expect(rig.emulator.requests().total).toBe(asked);
  });

  test("rents nothing there for a new resource of the program", async () => {
    const { rig, stack } = await running({ train });
    const program = { train, second: train, third: box };
    const { errors } = await stack.up(program, { provider: rig.startProvider({}, elsewhere) });
    expect(Object.keys(errors).sort()).toEqual(["second", "third", "train"]);
    expect(errors["second"]).toBe(
      `creating BareMetalRental "second": refused, nothing was created: another resource of this stack is not at this address: ${refused(baseUrl, other)}`,
    );
    expect(live(rig)).toEqual([1001]);
  });

  test("is that of each interface: v1 alone concerns the marketplace alone", async () => {
    const { rig, stack } = await running({ train, bargain });
    const half = { service: { addresses: { v2: baseUrl, v1: other } } };
    const { errors } = await stack.refresh(rig.startProvider({}, half));
    expect(Object.keys(errors)).toEqual(["bargain"]);
  });

  test("to which the service has moved is said once, and written down", async () => {
    const { rig, stack } = await running({ train, data });
    const moved = { service: { ...elsewhere.service, movedFrom: [baseUrl] } };
    expect((await stack.up({ train, data }, { refresh: true, provider: rig.startProvider({}, moved) })).errors).toEqual(
      {},
    );
    expect(stack.get("train").outputs["__where"]).toMatchObject({ address: other });
    expect((await stack.up({ train, data }, { provider: rig.startProvider({}, elsewhere) })).errors).toEqual({});
    expect((await stack.refresh()).errors["train"]).toContain(refused(other, baseUrl));
    expect((await stack.destroy({ provider: rig.startProvider({}, elsewhere) })).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("that the service has moved from is not another one to which a machine may be taken for gone", async () => {
    const { rig, stack } = await running({ train });
    const wire = changingList(paths.bareMetal, () => []);
    const moved = { wire, service: { ...elsewhere.service, movedFrom: ["https://third.example"] } };
    expect((await stack.refresh(rig.startProvider({}, moved))).errors["train"]).toContain(refused(baseUrl, other));
  });
});
