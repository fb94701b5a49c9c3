import { FakeEngine } from "../fakeEngine";
import { createRig, paths } from "../rig";
import { answering, intercepting, live, type Wire } from "../wire";

const train = { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } };

test("One that somebody else has ended keeps no other one from being ended", async () => {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  // One after the other, as with little parallelism.
  const after = (name: string) => ({
    ...train,
    inputs: (ids: Readonly<Record<string, string>>) => ({ ...train.inputs, ...(ids[name] && {}) }),
  });
  expect((await stack.up({ c: train, b: after("c"), a: after("b") })).errors).toEqual({});
  rig.clock.advance(3600);
  await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: Number(stack.get("b").id) }));
  rig.clock.advance(3600);
  const wire: Wire = intercepting((request, send) => {
    if (request.path === "/v2/openapi.json") return answering(404, { error: "NOT_FOUND" });
    const isEnd = request.path === paths.endBareMetal || request.method === "DELETE";
    return isEnd ? send().then((one) => (one.status >= 400 ? answering(404, { error: "NOT_FOUND" }) : one)) : undefined;
  });
  expect((await stack.destroy({ provider: rig.startProvider({}, { wire }) })).errors).toEqual({});
  expect(live(rig)).toEqual([]);
});
