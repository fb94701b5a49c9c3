import type { Values } from "../../../provider/lifecycle";
import { type Declared, FakeEngine } from "../fakeEngine";
import { createRig, type Rig, seededRandom } from "../rig";

const rental = { gpuCount: 8, networkType: "infiniband" };
const lookAgain = "If you do not know: `gpufleet recover` looks until the lists can no longer lag.";

/** A stack whose last run was killed while it created this, and after the service had done so. */
async function interrupt(name: string, declared: Declared & { inputs: Values }, rent: (rig: Rig) => Promise<unknown>) {
  const rig = createRig({ random: seededRandom(1) });
  const stack = new FakeEngine(rig);
  await rig.run(rent(rig));
  rig.clock.advance(60);
  stack.pending.push({ name, ...declared });
  return { rig, stack, up: () => stack.up({ [name]: declared }), urn: stack.urn(declared.type, name) };
}

const refusal =
  "refused, nothing was created: an earlier run was killed while it created this resource, and may have created one that is missing from the state.";
const ways = (id: string, urn: string) =>
  `${id === "ID" ? "Look in the service's console. If one was created" : "If it is"}: \`gpufleet recover --adopt ${id} --urn '${urn}'\`. If nothing was created: \`gpufleet recover --nothing-made --urn '${urn}'\`. ${lookAgain}`;

describe("After a run was killed in a create that has no proof of its own, the next up", () => {
  test("refuses to rent a second marketplace instance, and names the first with its price", async () => {
    const rig = createRig();
    const { instances } = await rig.run(rig.client.listMarketplaceMachines({ filters: {} }));
    const [node] = instances.filter(({ status, gpus_reserved }) => status === "node_ready" && gpus_reserved === 0);
    const inputs = { clusterName: node?.cluster_name, nodeName: node?.id, gpuCount: 1 };
    const made = await interrupt("k", { type: "MarketplaceInstance", inputs }, ({ client }) =>
      client.createMarketplaceInstance({
        cluster_name: node?.cluster_name ?? "",
        node_name: node?.id ?? "",
        gpu_count: 1,
      }),
    );
    const [id = ""] = made.rig.billing().map(String);
    const { errors } = await made.up();
    expect(errors["k"]).toMatch(/ \(running, 1×\S+ in \S+, \$\d+\.\d\d\/h, for 1m00s\) may be it; /);
    expect(errors["k"]?.replace(/ \(running.*?\)/, "")).toBe(
      `creating MarketplaceInstance "k": ${refusal} marketplace instance ${id} may be it; nothing proves it, so nothing was taken over or terminated. ${ways(id, made.urn)}`,
    );
    expect(made.rig.billing()).toEqual([id]);
    expect(made.stack.pending).toHaveLength(1);
  });

  const label = "mine";
  const rentMine = ({ client }: Rig) => client.createBareMetalRental({ ...rental, networkType: "infiniband", label });

  test("refuses to rent a second machine with a chosen label, until that is settled", async () => {
    const { rig, stack, up, urn } = await interrupt(
      "b",
      { type: "BareMetalRental", inputs: { ...rental, label } },
      rentMine,
    );
    expect((await up()).errors).toEqual({
      b: `creating BareMetalRental "b": ${refusal} bare-metal rental 1001 "mine" (Running, 8×h100 in us-central-1, $19.92/h, for 1m00s) may be it; nothing proves it, so nothing was taken over or terminated. ${ways("1001", urn)}`,
    });
    expect(rig.billing()).toEqual([1001]);
    stack.pending.length = 0;
    expect((await up()).errors).toEqual({});
    expect(rig.billing()).toEqual([1001, 1002]);
  });

  test.each([
    ["", {}],
    [", and is replaced by force", { replace: ["c"] }],
  ])(
    "refuses also where the resource has another name by now%s, and names the create by the former one",
    async (_, how) => {
      const { rig, stack, urn } = await interrupt(
        "b",
        { type: "BareMetalRental", inputs: { ...rental, label } },
        rentMine,
      );
      // What is to be replaced was renamed with an alias.
      stack.pending.length = 0;
      await stack.up({ b: { type: "BareMetalRental", inputs: { ...rental, label: "first" } } });
      const { b: kept } = Object.fromEntries(stack.state);
      stack.state.clear();
      if (kept) stack.state.set("c", { ...kept, name: "c" });
      stack.pending.push({ name: "b", type: "BareMetalRental", inputs: { ...rental, label } });
      const { errors } = await stack.up({ c: { type: "BareMetalRental", inputs: { ...rental, label } } }, how);
      expect(errors["c"]).toContain(`If it is: \`gpufleet recover --adopt 1001 --urn '${urn}'\`.`);
      expect(rig.billing()).toEqual([1001, 1002]);
    },
  );

  test("refuses also where nothing is listed yet, and where the program asks for something else by now", async () => {
    const nothing = await interrupt(
      "b",
      { type: "BareMetalRental", inputs: { ...rental, label } },
      async () => undefined,
    );
    expect((await nothing.up()).errors["b"]).toBe(
      `creating BareMetalRental "b": ${refusal} nothing listed so far may be it. ${ways("ID", nothing.urn)}`,
    );
    const other = await interrupt("b", { type: "BareMetalRental", inputs: { ...rental, label } }, rentMine);
    const changed = { b: { type: "BareMetalRental", inputs: { ...rental, label: "renamed" } } };
    expect((await other.stack.up(changed)).errors["b"]).toContain('bare-metal rental 1001 "mine" (Running');
    expect(other.rig.billing()).toEqual([1001]);
  });

  test("does not name what another stack of the backend has", async () => {
    const declared = { type: "BareMetalRental", inputs: { ...rental, label } };
    const { rig, stack, up, urn } = await interrupt("b", declared, async () => undefined);
    await new FakeEngine(rig, { stack: "prod" }).up({ b: declared });
    expect((await up()).errors["b"]).toBe(
      `creating BareMetalRental "b": ${refusal} nothing listed so far may be it. ${ways("ID", urn)}`,
    );
    expect(stack.pending).toHaveLength(1);
  });

  test("refuses also where the state cannot be read, unless an automatic label is listed or not", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const up = (inputs: Values) =>
      stack.up({ b: { type: "BareMetalRental", inputs: { ...rental, ...inputs } } }, { unreadable: true });
    expect((await up({ label })).errors).toEqual({
      b: 'creating BareMetalRental "b": refused, nothing was created: it is unknown whether an earlier run was killed while it created this resource, because the state cannot be read. Run this again when `pulumi stack export` works here, in less than 30 s.',
    });
    expect((await up({})).errors).toEqual({});
    expect(rig.billing()).toEqual([1001]);
  });

  test("is not asked about other resources", async () => {
    const { rig, stack } = await interrupt("b", { type: "BareMetalRental", inputs: { ...rental, label } }, rentMine);
    const provider = rig.startProvider();
    let asked = 0;
    const program = { other: { type: "BareMetalRental", inputs: { ...rental, label: "other" } } };
    Object.defineProperty(provider, "state", {
      set: (state: typeof provider.state) => {
        const interrupted: typeof state.interrupted = (...args) => {
          asked += 1;
          return state.interrupted(...args);
        };
        Object.defineProperty(provider, "state", { value: { ...state, interrupted } });
      },
      configurable: true,
    });
    expect((await stack.up(program, { provider })).errors).toEqual({});
    expect(asked).toBe(1);
  });
});

describe("After a run was killed in a create with an automatic label, the next up", () => {
  const automatic = "b-5tsb35-3jbbkw2u-exuv5e";
  const inputs = { ...rental, label: automatic };
  const settle = `${refusal} \`gpufleet recover\` looks for it until the lists can no longer lag, and settles it or says how.`;

  test.each<[string, Declared & { inputs: Values }, Declared]>([
    ["the list may lag", { type: "BareMetalRental", inputs }, { type: "BareMetalRental", inputs: rental }],
    [
      "the program has a label of its own by now",
      { type: "BareMetalRental", inputs },
      { type: "BareMetalRental", inputs: { ...rental, label: "mine" } },
    ],
  ])("refuses although nothing is listed: %s", async (_, left, declared) => {
    const { rig, stack } = await interrupt("b", left, async () => undefined);
    expect((await stack.up({ b: declared })).errors).toEqual({ b: `creating BareMetalRental "b": ${settle}` });
    expect(rig.billing()).toEqual([]);
    stack.pending.length = 0;
    expect((await stack.up({ b: declared })).errors).toEqual({});
  });

  test("refuses where the service has no list", async () => {
    const rig = createRig({ emulator: { dialect: "none" } });
    const stack = new FakeEngine(rig);
    const box = { type: "VmRental", inputs: { gpuCount: 1 } };
    stack.pending.push({ name: "box", ...box, inputs: { gpuCount: 1, label: automatic } });
    expect((await stack.up({ box })).errors).toEqual({ box: `creating VmRental "box": ${settle}` });
    expect((await stack.up({ box }, { unreadable: true })).errors["box"]).toContain("because the state cannot be read");
    expect(rig.billing()).toEqual([]);
  });

  test("refuses where the program has dropped the label that it had", async () => {
    const left = { type: "BareMetalRental", inputs: { ...rental, label: "mine" } };
    const { rig, stack } = await interrupt("b", left, ({ client }) =>
      client.createBareMetalRental({ ...rental, networkType: "infiniband", label: "mine" }),
    );
    const { errors } = await stack.up({ b: { type: "BareMetalRental", inputs: rental } });
    expect(errors["b"]).toContain('bare-metal rental 1001 "mine" (Running');
    expect(rig.billing()).toEqual([1001]);
  });
});
