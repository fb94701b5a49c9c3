import { insertEntry, integrityProblems } from "../../../../cli/commands/recover/insertEntry";
import { planFrom, refuseForeign, sortPending } from "../../../../cli/commands/recover/plan";
import type { PendingOperation, State, StateResource } from "../../../../cli/stack/state";
import { FakeEngine } from "../../../lifecycle/fakeEngine";
import { createRig } from "../../../lifecycle/rig";
import { checked, creating, decide, post, resourceOf, rootUrn, searchOf, stateWith } from "./interrupted";

const inputs = { gpuCount: 8, networkType: "ethernet" };
const foreign = (type: string, id?: string): PendingOperation => ({
  type,
  resource: {
    urn: "urn:pulumi:dev::fleet::aws:s3/bucket:Bucket::logs",
    type: "aws:s3/bucket:Bucket",
    ...(id && { id }),
  },
});
const entry = (name: string, id: string, more: Partial<StateResource> = {}): StateResource => ({
  ...resourceOf("BareMetalRental", name, {}),
  id,
  outputs: {},
  ...more,
});
const brief = (resources: readonly StateResource[]) =>
  resources.map(
    ({ urn, id, delete: marked }) => `${urn.slice(urn.lastIndexOf("::") + 2)} ${id}${marked ? " to be deleted" : ""}`,
  );

describe("Every pending operation is accounted for", () => {
  test("what was created becomes a resource, with everything that the engine recorded of it", async () => {
    const rig = createRig();
    const runtime = rig.startProvider();
    const asked = checked(runtime, "BareMetalRental", "train", inputs);
    const { id } = await rig.run(post(rig, "BareMetalRental", asked));
    const operation = creating("BareMetalRental", "train", asked);
    const noted = { dependencies: [rootUrn], propertyDependencies: { gpuCount: [] }, protect: true };
    const state = stateWith([], [{ ...operation, resource: { ...operation.resource, ...noted } }]);
    const decisions = await decide(rig, searchOf(runtime), state);
    expect(decisions).toMatchObject([
      { line: expect.stringMatching(/^BareMetalRental "train": .* is added to the state\.$/) },
    ]);
    const { after } = planFrom(state, decisions);
    expect(after.deployment.pending_operations).toBeUndefined();
    expect(after.deployment.resources?.at(-1)).toMatchObject({ ...operation.resource, ...noted, id, custom: true });
    expect(after.deployment.resources?.at(-1)).not.toHaveProperty("initErrors");
  });

  test("what was never created is dropped, and the line says how long it was looked for", async () => {
    const rig = createRig();
    const runtime = rig.startProvider();
    const asked = checked(runtime, "StorageVolume", "data", { region: "us-central-1", sizeInGb: 256 });
    const state = stateWith([], [creating("StorageVolume", "data", asked)]);
    const decisions = await decide(rig, searchOf(runtime), state);
    expect(decisions).toEqual([
      {
        line: `StorageVolume "data": was not created: no live storage volume "${asked["label"]}" is listed (looked for 2m00s). The next \`pulumi up\` creates it.`,
      },
    ]);
    expect(planFrom(state, decisions).after.deployment.resources).toHaveLength(2);
  });

  test("what is unknown stays in the state as unresolved", async () => {
    const rig = createRig({ emulator: { dialect: "none" } });
    const runtime = rig.startProvider();
    const asked = checked(runtime, "VmRental", "head", { gpuCount: 1 });
    const written = Date.parse("2026-09-12T12:00:00Z");
    const search = searchOf(runtime, { stateTime: written });
    const [decision] = await decide(rig, search, stateWith([], [creating("VmRental", "head", asked)]));
    expect(decision?.entry).toMatchObject({
      id: `unresolved:${asked["label"]}`,
      outputs: { ...asked, status: "Unknown", lostAt: "2026-09-12T11:40:00.000Z" },
    });
    expect(decision?.line).toMatch(
      /^VmRental "head": it is unknown what was created, so it is added to the state as unresolved:head-\S+, and `pulumi up` creates no other one until this is settled\. The service does not list virtual-machine rentals\. /,
    );
  });

  test("what has a label of the user's choice stays as unresolved, under an id that does not show the label", async () => {
    const rig = createRig();
    const runtime = rig.startProvider();
    const asked = checked(runtime, "BareMetalRental", "train", { ...inputs, label: "secret-project" });
    rig.clock.advance(5);
    // Another stack, since: as alike as can be.
    const other = new FakeEngine(rig, { stack: "prod" });
    await other.up({ train: { type: "BareMetalRental", inputs: { ...inputs, label: "secret-project" } } });
    const [decision] = await decide(
      rig,
      searchOf(runtime),
      stateWith([], [creating("BareMetalRental", "train", asked)]),
    );
    expect(decision?.entry?.id).toMatch(/^unresolved:label-[\w-]{12}$/);
    expect(decision?.entry?.outputs).not.toHaveProperty("idsBefore");
    expect(decision?.line).toContain(`bare-metal rental ${other.get("train").id} "secret-project" (Running`);
    expect(decision?.line).toContain("nothing proves it, so nothing was taken over or terminated");
  });

  test("what is unknown leaves the one that the state has as it is, and the line names both", async () => {
    const rig = createRig();
    const runtime = rig.startProvider();
    const asked = checked(runtime, "BareMetalRental", "train", { ...inputs, label: "mine" });
    const { id } = await rig.run(post(rig, "BareMetalRental", asked));
    rig.clock.advance(60);
    const healthy = entry("train", "7");
    const state = stateWith([healthy], [creating("BareMetalRental", "train", asked)]);
    const { lines, after } = planFrom(state, await decide(rig, searchOf(runtime), state));
    const [unresolved] = after.deployment.resources?.slice(3) ?? [];
    expect(after.deployment.resources?.slice(2)).toEqual([healthy, expect.objectContaining({ delete: true })]);
    expect(unresolved?.id).toMatch(/^unresolved:label-/);
    const { urn } = healthy;
    expect(lines).toEqual([
      `BareMetalRental "train": 7 stays in the state as it is. Whether the interrupted run has created another one is unknown, so ${unresolved?.id} is added beside it: until this is settled, \`pulumi up\` creates no other one and ends with an error that says so. ` +
        `bare-metal rental ${id} "mine" (Running, 8×h100 in us-central-1, $19.92/h, for 1m00s) may be it; nothing proves it, so nothing was taken over or terminated. If it is: \`gpufleet recover --adopt ${id} --urn '${urn}'\`. If nothing was created: \`gpufleet recover --nothing-made --urn '${urn}'\`. ` +
        "With --adopt, one of the two is kept and the next `pulumi up` deletes the other: --dry-run shows which, and what is lost with it.",
    ]);
  });

  test("what was never created leaves the one that the state has, and the line says so", async () => {
    const rig = createRig();
    const runtime = rig.startProvider();
    const asked = checked(runtime, "BareMetalRental", "train", { ...inputs, label: "mine" });
    const state = stateWith([entry("train", "7")], [creating("BareMetalRental", "train", asked)]);
    const { lines, after } = planFrom(state, await decide(rig, searchOf(runtime), state));
    expect(after.deployment.resources?.slice(2)).toEqual([entry("train", "7")]);
    expect(lines[0]).toMatch(
      /^BareMetalRental "train": was not created: .* \(looked for 2m00s\)\. 7 stays in the state as it is\.$/,
    );
  });

  test("interrupted updates and deletes leave what the state has", async () => {
    const rig = createRig();
    const train = entry("train", "1001");
    const state = stateWith(
      [train],
      [
        { type: "updating", resource: train },
        { type: "deleting", resource: train },
      ],
    );
    const decisions = await decide(rig, searchOf(rig.startProvider()), state);
    expect(decisions.map(({ line }) => line)).toEqual([
      'BareMetalRental "train": updating it was interrupted. It is still in the state; `pulumi up --refresh` continues from there.',
      'BareMetalRental "train": deleting it was interrupted. It is still in the state; `pulumi up --refresh` continues from there.',
    ]);
    expect(planFrom(state, decisions).after.deployment.resources).toEqual(state.deployment.resources);
  });

  test("a delete of what the state no longer has puts it back, to be deleted", async () => {
    const rig = createRig();
    const state = stateWith([entry("train", "1002")], [{ type: "deleting", resource: entry("train", "1001") }]);
    const decisions = await decide(rig, searchOf(rig.startProvider()), state);
    const resources = planFrom(state, decisions).after.deployment.resources ?? [];
    expect(brief(resources.slice(2))).toEqual(["train 1002", "train 1001 to be deleted"]);
  });

  test("another provider's create is refused and named; its other operations are not", () => {
    const noInputs = () => ({});
    expect(() => refuseForeign(sortPending(stateWith([], [foreign("creating")]), noInputs))).toThrow(
      "refused, and nothing was changed: the creation of urn:pulumi:dev::fleet::aws:s3/bucket:Bucket::logs (aws:s3/bucket:Bucket) was interrupted, too, and it belongs to another provider. Resolve it first (`pulumi refresh` asks about each), or pass --force to drop it from the state: what it may have created is then in no state.",
    );
    expect(() => refuseForeign(sortPending(stateWith([], [foreign("updating", "b-1")]), noInputs))).not.toThrow();
  });
});

describe("An entry in the state", () => {
  const old = (more: Partial<StateResource> = {}) =>
    entry("train", "1", { outputs: { createdAt: "2026-09-12T12:00:00Z" }, ...more });
  const young = (more: Partial<StateResource> = {}) =>
    entry("train", "2", { outputs: { createdAt: "2026-09-12T13:00:00Z" }, ...more });
  const inserted = (there: StateResource[], added: StateResource) => {
    const resources = insertEntry(stateWith(there).deployment.resources ?? [], added);
    expect(integrityProblems(resources)).toEqual([]);
    return brief(resources.slice(2));
  };

  test("marks the one that it replaces for deletion", () => {
    expect(inserted([old()], young())).toEqual(["train 1 to be deleted", "train 2"]);
  });

  test("is marked itself where the state has a later one", () => {
    expect(inserted([young()], old())).toEqual(["train 2", "train 1 to be deleted"]);
  });

  test("is not there twice", () => {
    expect(inserted([old()], old())).toEqual(["train 1"]);
  });

  test("takes the place of one that was deleted before its replacement was created", () => {
    expect(inserted([old({ pendingReplacement: true })], young())).toEqual(["train 2"]);
  });

  test("takes the place of the unresolved create that it is the result of, and of no other", () => {
    const label = "train-abcdef-abcdefgh-abcdef";
    const unresolved = entry("train", `unresolved:${label}`);
    for (const shown of [label, label.toUpperCase(), `org/${label}`]) {
      expect(inserted([unresolved], young({ outputs: { label: shown } }))).toEqual(["train 2"]);
    }
    expect(inserted([unresolved], young({ outputs: { label: `${label.slice(0, -1)}x` } }))).toEqual([
      `train unresolved:${label} to be deleted`,
      "train 2",
    ]);
  });

  test("takes the place of an unresolved create that only a person can settle", () => {
    expect(inserted([entry("train", "unresolved:label-abcdefghijkl")], young())).toEqual(["train 2"]);
  });

  test.each(["unresolved:label-abcdefghijkl", "unresolved:train-abcdef-abcdefgh-abcdef", "unresolved:cluster/node/1"])(
    "that is unresolved condemns nothing: %s stands beside the one that the state has, whichever that is",
    (id) => {
      const unresolved = entry("train", id);
      for (const current of [old(), entry("train", "unresolved:label-another")]) {
        expect(inserted([current], unresolved)).toEqual([`train ${current.id}`, `train ${id} to be deleted`]);
      }
      expect(inserted([old({ pendingReplacement: true })], unresolved)).toEqual([`train ${id}`]);
      expect(inserted([old({ delete: true })], unresolved)).toEqual(["train 1 to be deleted", `train ${id}`]);
    },
  );

  test("comes before what depends on it, and after what it depends on", () => {
    const dependent = entry("dependent", "9", { dependencies: [old().urn] });
    const added = entry("added", "8");
    const needsAdded = young({ dependencies: [added.urn] });
    expect(inserted([old({ pendingReplacement: true }), dependent, added], needsAdded)).toEqual([
      "added 8",
      "train 2",
      "dependent 9",
    ]);
  });

  test("is refused where the resulting state would be invalid, and what was found is said", () => {
    const gone = "urn:pulumi:dev::fleet::my:Group::gone";
    const broken = entry("broken", "9", { dependencies: [gone] });
    expect(() => planFrom(stateWith([broken]), [{ line: "Found it.", entry: young() }])).toThrow(
      `refused, and nothing was changed: the resulting state would be invalid: ${broken.urn} needs ${gone}, which does not come before it. What this would have done: Found it.`,
    );
  });

  const planned = (state: State, added: StateResource) =>
    planFrom(state, [{ line: "Found it.", entry: added }], " -s dev").after.deployment.resources?.at(-1);

  test("depends no more on what has left the state since, and is a part of the stack", () => {
    const gone = "urn:pulumi:dev::fleet::my:Group::gone";
    const links = {
      dependencies: [old().urn, gone],
      propertyDependencies: { gpuCount: [gone], label: [old().urn] },
      deletedWith: gone,
      replaceWith: [gone],
    };
    const dependent = entry("added", "8", { parent: gone, ...links });
    expect(planned(stateWith([old()]), dependent)).toEqual({
      ...entry("added", "8"),
      dependencies: [old().urn],
      propertyDependencies: { gpuCount: [], label: [old().urn] },
      replaceWith: [],
      deletedWith: "",
    });
  });

  test("is of the provider that the state has now", () => {
    const state = stateWith([]);
    const [, provider] = state.deployment.resources ?? [];
    if (provider) provider.id = "new-id";
    expect(planned(state, young())?.provider).toBe(`${provider?.urn}::new-id`);
  });

  test("depends on what is added with it", () => {
    const added = entry("added", "8");
    const both = [
      { line: "", entry: young({ dependencies: [added.urn] }) },
      { line: "", entry: added },
    ];
    expect(planFrom(stateWith([]), both).after.deployment.resources?.slice(2)).toEqual([
      added,
      young({ dependencies: [added.urn] }),
    ]);
  });

  test("is refused where the stack was destroyed since, with what was found and how it is ended", () => {
    const empty: State = { version: 3, deployment: { resources: [] } };
    const why =
      "refused, and nothing was changed: the state is empty, as after `pulumi destroy`, so nothing can be added to it. What this would have done: Found it.";
    expect(() => planned(empty, young())).toThrow(
      `${why} To terminate 2: \`gpufleet orphans -s dev --delete 2 --yes\`. Then run this again.`,
    );
    const volume = { ...resourceOf("StorageVolume", "data", {}), id: "3", outputs: {} };
    expect(() => planned(empty, volume)).toThrow(
      `${why} To delete 3, with its contents, see \`gpufleet orphans -s dev\`. Then run this again.`,
    );
  });
});
