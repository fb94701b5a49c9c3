import { findOutcome } from "../../../../cli/commands/recover/outcome";
import type { StateResource } from "../../../../cli/stack/state";
import type { Values } from "../../../../provider/lifecycle";
import { recoverAdopting } from "../../../faults/simulation/recover";
import { FakeEngine } from "../../../lifecycle/fakeEngine";
import { createRig, paths } from "../../../lifecycle/rig";
import { answering, changingList, type Item, intercepting, live } from "../../../lifecycle/wire";
import { checked, creating, decide, getHandler, managed, post, searchOf, stateWith } from "./interrupted";

interface Case {
  type: string;
  inputs: Values;
  path: string;
  /** How long a create may take, in minutes. */
  limit: number;
  how: string;
  rewrite(label: string): string | null;
}

const rental = { gpuCount: 8, networkType: "ethernet" };
const kinds: Pick<Case, "type" | "inputs" | "path" | "limit">[] = [
  { type: "BareMetalRental", inputs: rental, path: paths.bareMetal, limit: 45 },
  { type: "VmRental", inputs: { gpuCount: 1 }, path: paths.vm, limit: 20 },
  { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 }, path: paths.volumes, limit: 10 },
];
const writings: Pick<Case, "how" | "rewrite">[] = [
  { how: "not at all", rewrite: () => null },
  { how: "in capitals", rewrite: (label) => label.toUpperCase() },
  { how: "cut", rewrite: (label) => label.slice(0, -4) },
];
const cases: Case[] = kinds.flatMap((kind) => writings.map((writing) => ({ ...kind, ...writing })));
const around: Case[] = kinds.map((kind) => ({
  ...kind,
  how: "with something around them",
  rewrite: (label) => `org-${label}-1`,
}));
const [bareMetal] = cases;
if (!bareMetal) throw new Error("there are no cases");

const minutes = 60_000;

/** A killed run has created something, and `recover` is run three days later. The state was last written some time after the request. */
function interrupt({ type, inputs, path, rewrite }: Case) {
  const rig = createRig();
  const asked = checked(rig.startProvider(), type, "it", inputs);
  const wire = changingList(path, (items: Item[]) =>
    items.map((item) => ({ ...item, label: rewrite(String(item["label"])) })),
  );
  const startThen = (writtenAfter: number) => {
    const stateTime = rig.clock.now() + writtenAfter;
    rig.clock.advance(72 * 3600);
    return searchOf(rig.startProvider({}, { wire }), { stateTime });
  };
  const find = (writtenAfter: number, more: Partial<StateResource> = {}) => {
    const create = managed(type, "it", asked);
    const resource = { ...create.resource, ...more };
    return rig.run(findOutcome(startThen(writtenAfter), { ...create, resource }));
  };
  return { rig, asked, wire, startThen, find, send: () => rig.run(post(rig, type, asked)) };
}

describe("Where the service rewrites or drops labels, the result of an interrupted create", () => {
  test.each(cases)("is named however late one looks ($type, written $how)", async (one) => {
    const { find, send } = interrupt(one);
    const { id } = await send();
    expect(await find(1000)).toMatchObject({
      kind: "unresolved",
      isListed: true,
      reason: expect.stringMatching(`${id} .*for 3d0h\\) may be it; nothing proves it.*--adopt ${id} .*--nothing-made`),
    });
  });

  const isWhole = ({ how }: Case) => how === "in capitals";

  test.each(cases.filter((one) => !isWhole(one)))(
    "is nothing that was there before the create can have begun ($type, written $how)",
    async (one) => {
      const { find, send } = interrupt(one);
      await send();
      expect(await find((one.limit + 2) * minutes)).toMatchObject({ kind: "notCreated" });
    },
  );

  test.each(cases.filter(isWhole))(
    "is what has all of its automatic label, however often the state was written since ($type, written $how)",
    async (one) => {
      const { find, send } = interrupt(one);
      const { id } = await send();
      const reason = expect.stringContaining(`--adopt ${id} `);
      expect(await find(15 * 60 * minutes)).toMatchObject({ kind: "unresolved", reason });
    },
  );

  test("may be as much older than the state as its create may take, by its inputs or its options", async () => {
    const patient = interrupt({ ...bareMetal, inputs: { ...rental, timeouts: { create: "3h" } } });
    await patient.send();
    expect(await patient.find(120 * minutes)).toMatchObject({ kind: "unresolved" });
    const optional = interrupt(bareMetal);
    await optional.send();
    expect(await optional.find(120 * minutes, { customTimeouts: { create: 10_800 } })).toMatchObject({
      kind: "unresolved",
    });
  });

  test("is still named by the next up, which rents no other one", async () => {
    const { type } = bareMetal;
    const { rig, asked, wire, startThen, send } = interrupt(bareMetal);
    const { id } = await send();
    const [decision] = await decide(rig, startThen(1000), stateWith([], [creating(type, "it", asked)]));
    const entry = decision?.entry;
    const runtime = rig.startProvider({}, { wire });
    const handler = getHandler(type);
    handler.diff(runtime, entry?.id ?? "", entry?.outputs ?? {}, asked);
    await expect(rig.run(handler.create(runtime, asked))).rejects.toThrow(`recover --adopt ${id} `);
    expect(rig.billing()).toHaveLength(1);
  });
});

describe("Where the service rewrites or drops labels, a machine that is taken over", () => {
  /** What `gpufleet recover --adopt` makes of the state, once the create of `it` was refused after its effect. */
  async function adoptRefused({ type, inputs, path, rewrite }: Case, { label, isRecorded }: Adopted) {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const wire = changingList(path, (items: Item[]) =>
      items.map((item) => ({ ...item, label: rewrite(String(item["label"])) })),
    );
    const refusing = intercepting((request, send) =>
      request.method === "POST" && request.path === path
        ? send().then(() => answering(402, { error: "no credit" }))
        : undefined,
    );
    const program = { it: { type, inputs: { ...inputs, ...(label && { label }) } } };
    await stack.up(program, { provider: rig.startProvider({}, { wire: (send) => refusing(wire(send)) }) });
    const [id = ""] = live(rig).map(String);
    if (!isRecorded) stack.state.clear();
    const surroundings = { wire };
    await recoverAdopting({ rig, stack, neighbours: [], program, surroundings }, id, stack.urn(type, "it"));
    return { rig, stack, program, id, start: () => rig.startProvider({}, { wire }) };
  }

  interface Adopted {
    label?: string | undefined;
    /** Whether the state has the create in doubt. Where the provider was killed, it has nothing. */
    isRecorded: boolean;
  }

  const adoptions = [...cases, ...around].flatMap((one) =>
    [
      { label: "my-training", isRecorded: true },
      { label: "my-training", isRecorded: false },
      { label: undefined, isRecorded: true },
    ].map((adopted) => ({ ...one, ...adopted })),
  );

  test.each(adoptions)(
    "stays, and can be ended ($type, label $label written $how, create in the state: $isRecorded)",
    async ({ label, isRecorded, ...one }) => {
      const { rig, stack, program, id, start } = await adoptRefused(one, { label, isRecorded });
      // What has all of its label is what it has made.
      expect(stack.condemned).toHaveLength(label === undefined && one.how === "cut" ? 1 : 0);
      if (label) expect(stack.get("it")).toMatchObject({ id, inputs: { label } });
      expect((await stack.up(program, { provider: start() })).steps).toContain("same it");
      expect(await stack.up(program, { provider: start(), refresh: true })).toMatchObject({ steps: ["same it"] });
      expect(live(rig).map(String)).toEqual([id]);
      expect((await stack.destroy({ provider: start() })).errors).toEqual({});
      expect(live(rig)).toEqual([]);
    },
  );
});
