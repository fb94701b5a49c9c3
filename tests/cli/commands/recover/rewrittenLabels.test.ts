import { findOutcome } from "../../../../cli/commands/recover/outcome";
import type { StateResource } from "../../../../cli/stack/state";
import type { Values } from "../../../../provider/lifecycle";
import { createRig, paths } from "../../../lifecycle/rig";
import { changingList, type Item } from "../../../lifecycle/wire";
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

  test.each(cases)("is nothing that was there before the create can have begun ($type, written $how)", async (one) => {
    const { find, send } = interrupt(one);
    await send();
    expect(await find((one.limit + 2) * minutes)).toMatchObject({ kind: "notCreated" });
  });

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
