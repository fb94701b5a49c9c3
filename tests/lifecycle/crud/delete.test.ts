import { endInConsole } from "../../faults/simulation/console";
import { FakeEngine, type Program } from "../fakeEngine";
import { createRig, paths, type RigOptions } from "../rig";
import { answering, changingList, intercepting, sendingTwice } from "../wire";

const rental = { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } };
const program: Program = { train: rental };
const end = { method: "POST", path: paths.endBareMetal };
const list = { method: "GET", path: paths.bareMetal };

async function running(options: RigOptions = {}) {
  const rig = createRig(options);
  const stack = new FakeEngine(rig);
  expect((await stack.up(program)).errors).toEqual({});
  return { rig, stack, ends: () => rig.count("POST", paths.endBareMetal) };
}

describe("A delete", () => {
  test("is done when the machine no longer bills, and has asked once", async () => {
    const { rig, stack, ends } = await running({ emulator: { endSeconds: 300 } });
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
    expect(ends()).toBe(1);
    expect(stack.state.size).toBe(0);
  });

  test("of what is gone already is fine", async () => {
    const { rig, stack } = await running();
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    rig.clock.advance(60);
    expect(await stack.destroy()).toMatchObject({ steps: ["delete train"], errors: {} });
  });

  test("of what is on its way out waits until it has ended", async () => {
    const { rig, stack } = await running({ emulator: { endSeconds: 300 } });
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    expect(rig.billing()).toEqual([1001]);
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("whose reply is lost finds the machine ended", async () => {
    const { rig, stack, ends } = await running({ emulator: { endSeconds: 5 } });
    rig.clock.advance(300);
    rig.fault({ match: end, kind: "reset-after" });
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
    expect(ends()).toBe(1);
  });

  test("whose request was lost asks again", async () => {
    const { rig, stack, ends } = await running();
    rig.fault({ match: end, times: 2, kind: "reset-before" });
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
    expect(ends()).toBe(3);
  });

  test("whose reply is a page of a proxy is not believed", async () => {
    const { rig, stack } = await running();
    const page = "<html><body><h1>404 Not Found</h1></body></html>";
    rig.fault({ match: end, kind: "status", status: 404, headers: { "content-type": "text/html" }, body: page });
    expect((await stack.destroy()).errors["train"]).toMatch(/^deleting BareMetalRental "train": POST .* answered 404/);
    expect(stack.get("train").id).toBe("1001");
    expect(rig.billing()).toEqual([1001]);
  });

  test("that is refused for a moment asks again, because the list shows the machine", async () => {
    const { rig, stack, ends } = await running();
    rig.fault({ match: end, times: 2, kind: "status", status: 400, body: { error: "public key not found" } });
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
    expect(ends()).toBe(3);
  });

  test("that is refused again and again says so within seconds, and keeps the machine in the state", async () => {
    const { rig, stack, ends } = await running();
    rig.fault({ match: end, times: 3, kind: "status", status: 400, body: { error: "public key not found" } });
    const start = rig.clock.now();
    expect((await stack.destroy()).errors["train"]).toBe(
      'deleting BareMetalRental "train": the service does not terminate it: POST /v2/alpha/on-demand/bare-metal-rentals/terminate ' +
        "answered 400: public key not found. It is still Running and costs $19.92/h, and stays in the state.",
    );
    expect(rig.clock.now() - start).toBeLessThan(60_000);
    expect(ends()).toBe(3);
    expect(stack.get("train").id).toBe("1001");
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("of a fresh machine that a lagging list lacks is not done before the service confirms it", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up({ train: { ...rental, inputs: { ...rental.inputs, waitForReady: false } } });
    rig.fault({ match: end, kind: "reset-before" }, { match: list, times: 50, kind: "stale-list", seconds: 60 });
    expect((await stack.destroy()).errors).toEqual({});
    rig.clock.advance(60);
    expect(rig.billing()).toEqual([]);
  });

  test("that takes longer than it may says how far it got, and keeps the machine in the state", async () => {
    const rig = createRig({ emulator: { endSeconds: 3600 } });
    const stack = new FakeEngine(rig);
    await stack.up({ train: { ...rental, inputs: { ...rental.inputs, timeouts: { delete: "5m" } } } });
    expect((await stack.destroy()).errors["train"]).toBe(
      'deleting BareMetalRental "train": still Terminating after 5m00s. bare-metal rental 1001 (Terminating, $19.92/h) stays in the state. Run the same command again to continue waiting, or raise timeouts.delete.',
    );
    expect(stack.get("train").id).toBe("1001");
  });

  test("keeps what the service has no way to end, and says what to configure", async () => {
    const { rig, stack } = await running({ emulator: { dialect: "none" } });
    expect((await stack.destroy()).errors["train"]).toBe(
      'deleting BareMetalRental "train": POST /v2/alpha/on-demand/bare-metal-rentals/terminate answered 404: not found. ' +
        "Configure it in gpufleet:operations, for example " +
        '{"terminateBareMetalRental":{"method":"POST","path":"/v2/path/of/the/operation","idField":"id"}}; {id} in the path ' +
        "stands for the id. Destroy uses new configuration only with --run-program. bare-metal rental 1001 (Running, $19.92/h) stays in the state.",
    );
    expect(stack.get("train").id).toBe("1001");
    expect(rig.billing()).toEqual([1001]);
  });

  test("keeps what the service ends only in a form that nobody knows, and says what to configure", async () => {
    const { rig, stack } = await running({ emulator: { dialect: "undescribed" } });
    const wire = intercepting(({ path }) =>
      path === paths.endBareMetal ? answering(400, { message: "reason is required" }) : undefined,
    );
    const { errors } = await stack.destroy({ provider: rig.startProvider({}, { wire }) });
    expect(errors["train"]).toBe(
      'deleting BareMetalRental "train": the service does not terminate it: POST /v2/alpha/on-demand/bare-metal-rentals/terminate answered 400: reason is required. ' +
        "If the service wants this request in another form, configure that in gpufleet:operations, for example " +
        '{"terminateBareMetalRental":{"method":"POST","path":"/v2/alpha/on-demand/bare-metal-rentals/terminate","idField":"id","fields":{"reason":"unused"}}}; ' +
        "{id} in the path stands for the id, and fields are constants that are sent along. Destroy uses new configuration only with --run-program. " +
        "It is still Running and costs $19.92/h, and stays in the state.",
    );
    expect(rig.billing()).toEqual([1001]);
  });

  test("shows on its row what it waits for, and leaves nothing there", async () => {
    const { stack } = await running({ emulator: { endSeconds: 60 } });
    const { provider } = await stack.destroy();
    const texts = provider.shown.map(({ text }) => text);
    expect(texts[0]).toBe("Terminating 0s, 8×h100 in us-central-1, $19.92/h");
    expect(texts.at(-1)).toBe("");
  });

  test("beside a record that can never be read names the twin that was ended elsewhere, and a way out", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    await stack.up(program, { provider: rig.startProvider({}, { wire: sendingTwice(paths.bareMetal) }) });
    await rig.run(endInConsole(rig.client, rental.type, "1001"));
    rig.clock.advance(600);
    const wire = changingList(paths.bareMetal, (items) => [...items, { status: "Running" }]);
    const start = () => ({ provider: rig.startProvider({}, { wire }) });
    const renamed = { renamed: { ...rental, inputs: { ...rental.inputs, adoptId: 1002 } } };
    expect((await stack.up(renamed, start())).errors["train"]).toBe(
      'deleting BareMetalRental "train": whether bare-metal rental 1001, which was created by the same request, still runs is not ' +
        "known: not listed, but the list of bare-metal rentals has an item that cannot be read and may be it (no id): id (missing) must be a number. Run this again when the list can be " +
        "read. Or look for bare-metal rental 1001 in the service's console, end it there if it still runs, and remove this resource " +
        "with `pulumi state delete 'urn:pulumi:test::rig::pulumi-nodejs:dynamic/gpufleet:BareMetalRental::train'`, which ends nothing.",
    );
    stack.state.delete("train");
    expect(await stack.up(renamed, start())).toMatchObject({ steps: ["same renamed"], errors: {} });
    expect(rig.billing()).toEqual([1002]);
  });
});

describe("The status in the state", () => {
  test("Failed is replaced by the next up, and the failed machine ended", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    rig.fault({ match: { method: "POST", path: paths.bareMetal }, kind: "fail-provisioning" });
    const { errors } = await stack.up(program);
    expect(errors["train"]).toBe(
      'creating BareMetalRental "train": bare-metal rental 1001 changed to Failed. It is in the state with id 1001. ' +
        "It costs $19.92/h. The next `pulumi up` replaces it. `pulumi destroy` terminates it.",
    );
    expect(stack.get("train")).toMatchObject({ id: "1001", outputs: { status: "Failed" } });
    expect(await stack.up(program)).toMatchObject({ steps: ["replace train", "delete train"], errors: {} });
    expect(rig.billing()).toEqual([1002]);
  });

  test("Terminating is replaced by the next up after a refresh", async () => {
    const { rig, stack } = await running({ emulator: { endSeconds: 600 } });
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    expect(await stack.up(program, { refresh: true })).toMatchObject({
      steps: ["replace train", "delete train"],
      errors: {},
    });
    expect(rig.billing()).toEqual([1002]);
  });
});
