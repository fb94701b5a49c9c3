import { planNothingMade } from "../../../../cli/commands/recover/nothingMade";
import { planFrom } from "../../../../cli/commands/recover/plan";
import { unresolvedEntry } from "../../../../cli/commands/recover/stateEntry";
import type { StateResource } from "../../../../cli/stack/state";
import { recoverNothingMade } from "../../../faults/simulation/recover";
import { FakeEngine } from "../../../lifecycle/fakeEngine";
import { createRig, paths } from "../../../lifecycle/rig";
import { answering, changingList, intercepting, live, type Wire } from "../../../lifecycle/wire";
import { checked, managed, post, resourceOf, runningAt, stateWith, urnOf } from "./interrupted";

const type = "BareMetalRental";
const urn = urnOf(type, "train");
const inputs = { gpuCount: 8, networkType: "ethernet" };

function interrupt(label?: string, wire?: Wire) {
  const rig = createRig();
  const runtime = rig.startProvider({}, wire ? { wire } : {});
  const asked = checked(runtime, type, "train", label === undefined ? inputs : { ...inputs, label });
  const train = managed(type, "train", asked);
  const fingerprint = String(asked["label"]);
  const unresolved = unresolvedEntry(
    train,
    { fingerprint, isChosenLabel: label !== undefined, since: 0 },
    runningAt(0),
  );
  const plan = (there: StateResource[], more: { pending?: typeof train; force?: boolean } = {}) => {
    const state = stateWith(there);
    const word = { state, urn, pending: more.pending ? [more.pending] : [], force: more.force ?? false };
    return rig.run(planNothingMade(runtime, word)).then((decisions) => planFrom(state, decisions));
  };
  return { rig, asked, train, unresolved, plan };
}

describe("That a create has created nothing, as a person says it,", () => {
  test("removes what is unresolved from the state, and the line says why", async () => {
    const { unresolved, plan } = interrupt("train");
    const { after, lines } = await plan([unresolved]);
    expect(after.deployment.resources).toHaveLength(2);
    expect(lines).toEqual([
      `BareMetalRental "train": ${unresolved.id} is removed from the state, because you said that nothing was created. The next \`pulumi up\` creates it.`,
    ]);
  });

  test("drops an interrupted create", async () => {
    const { train, plan } = interrupt("train");
    expect(await plan([], { pending: train })).toMatchObject({
      lines: [
        'BareMetalRental "train": its interrupted create is dropped, because you said that nothing was created. The next `pulumi up` creates it.',
      ],
    });
  });

  test("gives the one that it was to replace its place back, before what depends on it", async () => {
    const { asked, unresolved, plan } = interrupt("train");
    const old = { ...resourceOf(type, "train", asked), id: "7" };
    const dependent = { ...resourceOf("VmRental", "head", {}), id: "8", dependencies: [urn] };
    // As the engine writes it: what was replaced comes last.
    const { after, lines } = await plan([unresolved, dependent, { ...old, delete: true }]);
    expect(after.deployment.resources?.slice(2)).toEqual([old, dependent]);
    expect(lines).toEqual([
      `BareMetalRental "train": ${unresolved.id} is removed from the state, because you said that nothing was created. 7, which it was to replace, has its place in the state again: the next \`pulumi up\` deletes it only if it creates another one.`,
    ]);
  });

  test("gives one its place back, the newest, and no other create in doubt", async () => {
    const { asked, unresolved, plan } = interrupt("train");
    const replaced = (id: string, createdAt: string) => ({
      ...resourceOf(type, "train", asked),
      id,
      outputs: { createdAt },
      delete: true,
    });
    const doubted = { ...unresolved, id: "unresolved:label-other", delete: true };
    const there = [replaced("6", "2026-01-01T00:00:00Z"), replaced("7", "2026-01-02T00:00:00Z"), doubted];
    const { after } = await plan([...there, replaced("5", "2025-01-01T00:00:00Z"), unresolved]);
    const brief = after.deployment.resources?.slice(2).map((one) => [one.id, one.delete ?? false]);
    expect(brief).toEqual([
      ["6", true],
      ["7", false],
      ["5", true],
    ]);
  });

  test("has the machine that was being replaced stay, where the program goes back to it", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const program = (gpuCount: number) => ({ train: { type, inputs: { ...inputs, gpuCount, label: "train" } } });
    await stack.up(program(8));
    const somebody = { networkType: "ethernet", gpuCount: 16, label: "train" } as const;
    const wire = intercepting(({ method, path }) =>
      method === "POST" && path === paths.bareMetal
        ? rig.client.createBareMetalRental(somebody).then(() => answering(402, { error: "no credit" }))
        : undefined,
    );
    await stack.up(program(16), { provider: rig.startProvider({}, { wire }) });
    expect(stack.get("train").id).toMatch(/^unresolved:/);
    await recoverNothingMade({ rig, stack, neighbours: [], program: program(16) }, stack.urn(type, "train"));
    expect(await stack.up(program(8), { refresh: true })).toMatchObject({ steps: ["same train"], errors: {} });
    expect(live(rig)).toEqual([1001, 1002]);
  });

  test("is not believed where its label is listed, also in a record that cannot be read, unless forced", async () => {
    const unreadable = changingList(paths.bareMetal, (items) => items.map((item) => ({ ...item, status: 3 })));
    const { rig, train, unresolved, plan } = interrupt(undefined, unreadable);
    const label = String(train.inputs["label"]);
    const { id } = await rig.run(rig.client.createBareMetalRental({ gpuCount: 8, networkType: "ethernet", label }));
    await expect(plan([unresolved])).rejects.toThrow(
      `bare-metal rental ${id} has its label, so it was created; its record cannot be read: status 3 must be a string. Pass --force to drop the create anyway.`,
    );
    expect((await plan([unresolved], { force: true })).lines).toHaveLength(1);
  });

  test("leaves the one that the state has as it was before", async () => {
    const { asked, train, unresolved, plan } = interrupt("train");
    const healthy = { ...resourceOf(type, "train", asked), id: "7" };
    const said = "because you said that nothing was created. 7 stays in the state as it is.";
    const settled = await plan([healthy, { ...unresolved, delete: true }]);
    expect(settled.after.deployment.resources?.slice(2)).toEqual([healthy]);
    expect(settled.lines).toEqual([`BareMetalRental "train": ${unresolved.id} is removed from the state, ${said}`]);
    const dropped = await plan([healthy], { pending: train });
    expect(dropped.after.deployment.resources?.slice(2)).toEqual([healthy]);
    expect(dropped.lines).toEqual([`BareMetalRental "train": its interrupted create is dropped, ${said}`]);
  });

  test("says that the one that it was to replace is gone, where a run deleted it first", async () => {
    const { asked, train, plan } = interrupt("train");
    const deleted = { ...resourceOf(type, "train", asked), id: "7", pendingReplacement: true };
    const { after, lines } = await plan([deleted], { pending: train });
    expect(after.deployment.resources?.slice(2)).toEqual([deleted]);
    expect(lines).toEqual([
      'BareMetalRental "train": its interrupted create is dropped, because you said that nothing was created. 7, which it was to replace, is deleted already: the next `pulumi up` creates the new one.',
    ]);
  });

  test("leaves what depends on it without the dependency, where nothing else has its URN", async () => {
    const { unresolved, plan } = interrupt("train");
    const dependent = {
      ...resourceOf("VmRental", "head", {}),
      id: "8",
      dependencies: [urn],
      propertyDependencies: { label: [urn] },
    };
    const { after } = await plan([unresolved, dependent]);
    expect(after.deployment.resources?.slice(2)).toEqual([
      { ...dependent, dependencies: [], propertyDependencies: { label: [] } },
    ]);
  });

  test("is refused where the state has no such create", async () => {
    const { asked, plan } = interrupt();
    const running = { ...resourceOf(type, "train", asked), id: "7" };
    await expect(plan([running])).rejects.toThrow(
      `refused, and nothing was changed: the state has no unresolved or interrupted create of ${urn}`,
    );
  });

  test("is refused where its automatic label is listed, unless it is forced", async () => {
    const { rig, asked, unresolved, plan } = interrupt();
    const { id } = await rig.run(post(rig, type, asked));
    await expect(plan([unresolved])).rejects.toThrow(
      new RegExp(
        `^refused, and nothing was changed: bare-metal rental ${id} "train-.*\\) has its label, so it was created\\. \`gpufleet recover\` or \`pulumi up\` takes it over\\. Pass --force to drop the create anyway\\.$`,
      ),
    );
    expect((await plan([unresolved], { force: true })).after.deployment.resources).toHaveLength(2);
  });

  test.each([
    ["in capitals", (label: string) => label.toUpperCase()],
    ["with something around it", (label: string) => `org-${label}-1`],
  ])("is refused where its automatic label is listed %s, in a record that cannot be read, too", async (_, write) => {
    const changing = (change: object) =>
      changingList(paths.bareMetal, (items) =>
        items.map((item) => ({ ...item, label: write(String(item["label"])), ...change })),
      );
    const { rig, asked, unresolved, plan } = interrupt(undefined, changing({}));
    const { id } = await rig.run(post(rig, type, asked));
    const taken = { ...resourceOf(type, "train", asked), id: String(id) };
    expect((await plan([taken, { ...unresolved, delete: true }])).after.deployment.resources?.slice(2)).toEqual([
      taken,
    ]);
    await expect(plan([unresolved])).rejects.toThrow(
      `has its label, so it was created. \`gpufleet recover --adopt ${id} --urn '${urn}'\` takes it over.`,
    );
    const other = interrupt(undefined, changing({ status: 3 }));
    const unread = await other.rig.run(post(other.rig, type, other.asked));
    const kept = { ...resourceOf(type, "train", other.asked), id: String(unread.id) };
    expect((await other.plan([kept, { ...other.unresolved, delete: true }])).lines).toHaveLength(1);
    await expect(other.plan([other.unresolved])).rejects.toThrow("has its label, so it was created; its record cannot");
  });
});
