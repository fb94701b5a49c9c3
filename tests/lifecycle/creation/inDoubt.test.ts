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
