import { begin, fleet } from "../../resources/fleetProgram";
import { FakeEngine, type Outcome } from "../fakeEngine";
import { createRig, paths } from "../rig";
import { answering, changingList, intercepting, leavingOut, live, type Wire } from "../wire";

const rental = (more: object = {}) => ({
  train: { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8, ...more } },
});
const hasty = rental({ waitForReady: false });

/** A service that lists a rental only once it runs, which takes this long. */
function stackOf(provisionSeconds: number) {
  const rig = createRig({ emulator: { provisionSeconds } });
  const stack = new FakeEngine(rig);
  const activeOnly = changingList(paths.bareMetal, (items) => items.filter(({ status }) => status !== "Pending"));
  const provider = (settings: object = {}, more: Wire = (transport) => transport) =>
    rig.startProvider(settings, { wire: (transport) => more(activeOnly(transport)) });
  return { rig, stack, provider };
}

/** A service that describes how to end a rental: by this field. */
function described(field: string, wire: Wire = (transport) => transport): Wire {
  const schema = { type: "object", properties: { [field]: { type: "integer" } }, required: [field] };
  const post = { requestBody: { content: { "application/json": { schema } } } };
  const document = {
    openapi: "3.0.0",
    info: { title: "x", version: "2.0.0" },
    paths: { [paths.endBareMetal]: { post } },
  };
  const describing = intercepting(({ path }) => (path === "/v2/openapi.json" ? answering(200, document) : undefined));
  return (transport) => describing(wire(transport));
}

function warnings({ provider }: Outcome): string[] {
  return provider.shown.filter(({ kind }) => kind === "warning").map(({ text }) => text);
}

describe("A machine that no list has shown yet", () => {
  test("is neither dropped by a refresh nor rented again, and that is said", async () => {
    const { rig, stack, provider } = stackOf(900);
    await stack.up(hasty, { provider: provider() });
    const refreshed = await stack.up(hasty, { refresh: true, provider: provider() });
    expect(refreshed).toMatchObject({ steps: ["same train"], errors: {} });
    expect(warnings(refreshed)).toEqual([
      "bare-metal rental 1001 is not listed yet: the service may list it only once it runs, so it does not count as gone. Run this again later; or, if it is gone, with GPUFLEET_CONFIRM_GONE=1. The state is kept",
    ]);
    expect(live(rig)).toEqual([1001]);
    rig.clock.advance(900);
    expect(warnings(await stack.refresh(provider()))).toEqual([]);
    expect(stack.get("train").outputs["status"]).toBe("Running");
  });

  test("is waited for again where its create has run out of time", async () => {
    const { rig, stack, provider } = stackOf(600);
    const { errors } = await stack.up(rental({ timeouts: { create: 200 } }), { provider: provider() });
    expect(errors["train"]).toMatch(/still not listed after 3m20s\. It is in the state with id 1001\./);
    const again = await stack.up(rental({ timeouts: { create: 1200 } }), { refresh: true, provider: provider() });
    expect(again).toMatchObject({ steps: ["update train"], errors: {} });
    expect(live(rig)).toEqual([1001]);
    expect(stack.get("train").outputs["status"]).toBe("Running");
  });

  test("is gone when lists lack it after two creates could have ended", async () => {
    const { rig, stack, provider } = stackOf(100_000);
    await stack.up(hasty, { provider: provider() });
    rig.clock.advance(85 * 60);
    expect((await stack.refresh(provider())).steps).toEqual([]);
    rig.clock.advance(10 * 60);
    expect((await stack.refresh(provider())).steps).toEqual(["gone train"]);
  });

  test("is gone on a person's word", async () => {
    const { stack, provider } = stackOf(900);
    await stack.up(hasty, { provider: provider() });
    expect((await stack.refresh(provider({ confirmGone: true }))).steps).toEqual(["gone train"]);
  });

  test("is ended by a destroy that the service accepts", async () => {
    const { rig, stack, provider } = stackOf(900);
    await stack.up(hasty, { provider: provider() });
    expect((await stack.destroy({ provider: provider() })).errors).toEqual({});
    expect(live(rig)).toEqual([]);
  });

  const notFound = (times: number): Wire => {
    let left = times;
    return intercepting(({ path }) =>
      path === paths.endBareMetal && left-- > 0 ? answering(404, { detail: "Not Found" }) : undefined,
    );
  };

  test("is ended by a destroy whose first request a gateway answers 404", async () => {
    const { rig, stack, provider } = stackOf(900);
    await stack.up(hasty, { provider: provider() });
    // Described by the service: then one 404 is an answer.
    expect((await stack.destroy({ provider: provider({}, described("rentalId", notFound(1))) })).errors).toEqual({});
    expect(live(rig)).toEqual([]);
  });

  test("is gone where the service says twice that there is none, and lists lack it all the while", async () => {
    const { rig, stack, provider } = stackOf(900);
    await stack.up(hasty, { provider: provider() });
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: 1001 }));
    const start = rig.clock.now();
    const wire = described("rentalId", notFound(1000));
    expect((await stack.destroy({ provider: provider({}, wire) })).errors).toEqual({});
    expect(rig.clock.now() - start).toBeLessThan(400_000);
    expect(stack.state.size).toBe(0);
  });

  test("stays in the state where it is ended by another name, which only a list would tell", async () => {
    const { rig, stack, provider } = stackOf(900);
    await stack.up(hasty, { provider: provider() });
    const { errors } = await stack.destroy({ provider: provider({}, described("externalId")) });
    expect(errors["train"]).toMatch(/bare-metal rental 1001 is not listed yet: /);
    expect(stack.get("train").id).toBe("1001");
    expect(live(rig)).toEqual([1001]);
  });

  test("does not count among what vanishes at once", async () => {
    const { rig, stack, provider } = stackOf(900);
    await stack.up(rental(), { provider: provider() });
    await stack.up({ ...rental(), second: hasty.train }, { provider: provider() });
    const [train, second] = [stack.get("train").id, stack.get("second").id];
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: Number(train) }));
    rig.clock.advance(60);
    const refreshed = await stack.refresh(provider());
    expect(refreshed).toMatchObject({ steps: ["gone train"], errors: {} });
    expect(stack.get("second").id).toBe(second);
    expect(warnings(refreshed)).toContainEqual(expect.stringMatching(/is not listed yet: .* The state is kept$/));
  });

  test("stays in the state where the service refuses to end it", async () => {
    const { rig, stack, provider } = stackOf(900);
    await stack.up(hasty, { provider: provider() });
    const refusing = intercepting((request) =>
      request.path === paths.endBareMetal
        ? answering(400, { error: { code: "BAD_REQUEST", message: "it does not run yet" } })
        : undefined,
    );
    const { errors } = await stack.destroy({ provider: provider({}, refusing) });
    expect(errors["train"]).toMatch(/bare-metal rental 1001 is not listed yet: .* GPUFLEET_CONFIRM_GONE=1\.$/);
    expect(stack.get("train").id).toBe("1001");
    expect(live(rig)).toEqual([1001]);
  });
});

test("A member that the gate of its fleet has seen listed is gone when lists lack it, and another one is rented", async () => {
  const { rig, stack } = begin();
  const program = fleet({ count: 3 });
  expect((await stack.up(program)).errors).toEqual({});
  const wire = leavingOut(paths.bareMetal, ({ id }) => id === 1002);
  const { steps } = await stack.refresh(rig.startProvider({}, { wire }));
  expect(steps).toContain("gone train-1");
});
