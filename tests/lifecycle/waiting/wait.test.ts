import type { FaultSpec } from "../../../emulator";
import { beginOperation, type Verdict, type Wait, waitUntil } from "../../../provider/lifecycle";
import { bareMetalRentals } from "../../../provider/resources/bareMetalRental";
import type { ActiveBareMetalRental } from "../../../provider/service";
import { FakeEngine } from "../fakeEngine";
import { createRig, paths } from "../rig";
import { answering, intercepting } from "../wire";

const origin = "organization/urn:pulumi:test::rig::pulumi-nodejs:dynamic/gpufleet:BareMetalRental::train";
const match = { method: "GET", path: paths.bareMetal };

function createWait(seconds: number) {
  const rig = createRig();
  const provider = rig.startProvider();
  const rental = { type: "BareMetalRental", noun: "bare-metal rental" };
  const operation = beginOperation(provider, rental, origin, seconds * 1000);
  const list = provider.lists.of(bareMetalRentals);
  const start = rig.clock.now();
  const wait = <Result>(
    judge: () => Verdict<Result>,
    more: Partial<Wait<ActiveBareMetalRental, Result>> = {},
  ): Promise<Result> => rig.run(waitUntil({ operation, list, judge, ...more }));
  return {
    rig,
    provider,
    wait,
    elapsed: () => (rig.clock.now() - start) / 1000,
    looks: () => rig.count("GET", paths.bareMetal),
  };
}

describe("Waiting", () => {
  test("ends with the first look that satisfies, and gives its result", async () => {
    const { wait, looks } = createWait(600);
    let look = 0;
    expect(
      await wait(() => (++look === 3 ? { kind: "done", result: "here" } : { kind: "pending", status: "Pending" })),
    ).toBe("here");
    expect(looks()).toBe(3);
  });

  test("ends with the reason when the judge says no", async () => {
    const { wait } = createWait(600);
    await expect(wait(() => ({ kind: "failed", reason: "it changed to Failed" }))).rejects.toThrow(
      "it changed to Failed",
    );
  });

  test("looks at once where it may be done already, and else after the usual spacing", async () => {
    const prompt = createWait(600);
    await prompt.wait(() => ({ kind: "done", result: 1 }), { prompt: true });
    expect(prompt.elapsed()).toBe(0);
    const patient = createWait(600);
    await patient.rig.run(patient.provider.lists.of(bareMetalRentals).latest());
    await patient.wait(() => ({ kind: "done", result: 1 }));
    expect(patient.elapsed()).toBeGreaterThanOrEqual(2);
  });

  test("looks every two seconds at first and every fifteen in the long run", async () => {
    const { wait, looks, elapsed } = createWait(3600);
    await expect(wait(() => ({ kind: "pending", status: "Pending" }))).rejects.toThrow(/^still Pending after 1h00m$/);
    expect(elapsed()).toBe(3600);
    expect(looks()).toBeGreaterThan(3600 / 16.5);
    expect(looks()).toBeLessThan(3600 / 8);
  });

  test("looks no more often when many wait", async () => {
    const { wait, looks } = createWait(20);
    const waits = Array.from({ length: 100 }, () => wait(() => ({ kind: "pending", status: "Pending" })));
    const ends = await Promise.allSettled(waits);
    expect(ends.every(({ status }) => status === "rejected")).toBe(true);
    expect(looks()).toBeLessThanOrEqual(20 / 2);
  });

  test("keeps its deadline also in the middle of the spacing, and of a request that hangs", async () => {
    const short = createWait(1);
    await expect(short.wait(() => ({ kind: "pending", status: "Pending" }))).rejects.toThrow("still Pending after 1s");
    const hanging = createWait(30);
    hanging.rig.fault({ match, times: 5, kind: "delay", ms: 600_000 });
    await expect(hanging.wait(() => ({ kind: "pending", status: "Pending" }))).rejects.toThrow(
      "still not listed after 30s",
    );
    expect(hanging.elapsed()).toBe(30);
    // Lets the requests come to their end, and with them the timers that guard them.
    await hanging.rig.run(hanging.rig.clock.sleep(3_000_000));
  });

  test("goes on through trouble that may pass, and tells of it when the time is up", async () => {
    const { rig, wait, provider } = createWait(600);
    await rig.run(provider.lists.of(bareMetalRentals).latest());
    rig.fault({ match, times: 20, kind: "status", status: 502 });
    expect(await wait(() => ({ kind: "done", result: "after all" }))).toBe("after all");
    rig.fault({ match, times: 10_000, kind: "garbage" });
    const progress = (status: string) => `${status}, $19.92/h`;
    await expect(wait(() => ({ kind: "done", result: 1 }), { status: "Pending", progress })).rejects.toThrow(
      /^still Pending after \d+m\d\ds; the last poll failed: GET \/v2\/alpha\/on-demand\/bare-metal-rentals answered 200: the answer could not be read: it is not JSON$/,
    );
    expect(provider.shown.map(({ text }) => text)).toContain(
      "Pending, $19.92/h; the last poll failed: GET /v2/alpha/on-demand/bare-metal-rentals answered 200: the answer could not be read: it is not JSON",
    );
  });

  test.each<[string, FaultSpec]>([
    ["no answer", { match, times: 10_000, kind: "reset-before" }],
    ["502", { match, times: 10_000, kind: "status", status: 502 }],
    ["what cannot be read", { match, times: 10_000, kind: "garbage" }],
  ])("does not go on where there was never a list to be had: %s", async (_, fault) => {
    const { rig, wait, elapsed } = createWait(600);
    rig.fault(fault);
    await expect(wait(() => ({ kind: "done", result: 1 }))).rejects.toThrow(/^GET \/v2\/alpha/);
    expect(elapsed()).toBeLessThan(60);
  });

  test("does not go on through trouble that will not pass", async () => {
    const { rig, wait, elapsed } = createWait(600);
    rig.fault({ match, times: 99, kind: "status", status: 403 });
    await expect(wait(() => ({ kind: "done", result: 1 }))).rejects.toThrow(/answered 403/);
    expect(elapsed()).toBe(0);
  });

  test("shows its progress and clears it, however it ends", async () => {
    const { provider, wait } = createWait(5);
    const progress = (status: string, elapsed: number) => `${status} at ${Math.round(elapsed / 1000)}`;
    await expect(wait(() => ({ kind: "pending", status: "Pending" }), { progress })).rejects.toThrow();
    const texts = provider.shown.map(({ text }) => text);
    expect(texts[0]).toBe("Pending at 0");
    expect(texts.at(-1)).toBe("");
  });
});

test("A create and a delete end in their time where the service gives no list", async () => {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  const inputs = { networkType: "infiniband", gpuCount: 8, timeouts: { create: 60, delete: 30 } };
  const program = { train: { type: "BareMetalRental", inputs } };
  const busy = intercepting(({ method, path }) =>
    method === "GET" && path === paths.bareMetal
      ? answering(503, { error: "busy" }, { "retry-after": "30" })
      : undefined,
  );
  const timed = async (run: () => Promise<{ errors: Record<string, string> }>) => {
    const start = rig.clock.now();
    return { error: (await run()).errors["train"], seconds: (rig.clock.now() - start) / 1000 };
  };
  const start = () => ({ provider: rig.startProvider({}, { wire: busy }) });
  const created = await timed(() => stack.up(program, start()));
  expect(created.error).toBe(
    'creating BareMetalRental "train": the service gave no list of bare-metal rentals in time',
  );
  expect(created.seconds).toBeLessThanOrEqual(60);
  expect(rig.billing()).toEqual([]);
  await stack.up(program);
  const deleted = await timed(() => stack.destroy(start()));
  expect(deleted.error).toMatch(
    /gave no list of bare-metal rentals in time\. bare-metal rental 1001 .* stays in the state/,
  );
  expect(deleted.seconds).toBeLessThanOrEqual(45);
  expect(stack.state.has("train")).toBe(true);
});
