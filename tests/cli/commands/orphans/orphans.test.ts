import { groupOrphans } from "../../../../cli/account/groupOrphans";
import { orphansCommand } from "../../../../cli/commands/orphans";
import { type DeleteRequest, deleteOrphans } from "../../../../cli/commands/orphans/delete";
import { orphansJson, showOrphans } from "../../../../cli/commands/orphans/show";
import { placeOf } from "../../../../cli/options";
import type * as activity from "../../../../cli/stack/activity";
import type { State } from "../../../../cli/stack/state";
import { type Account, openAccount } from "../../account/openAccount";

const mayBeBusy = jest.fn<Promise<activity.Activity>, []>();
jest.mock("../../../../cli/stack/activity", () => ({
  ...jest.requireActual<typeof activity>("../../../../cli/stack/activity"),
  readActivity: () => mayBeBusy(),
}));

const plain = (_style: string, text: string) => text;
const day = 86_400_000;
const graceMs = 3_600_000;

describe("gpufleet orphans", () => {
  let account: Account;
  let created: { own: number; volume: number; foreign: number; byHand: number };
  const now = Date.UTC(2026, 0, 2);

  beforeEach(async () => {
    account = await openAccount({ clock: { now: () => now - day } });
    account.now = now;
    const { client } = account.runtime;
    const rent = (label: string) => client.createBareMetalRental({ gpuCount: 8, networkType: "infiniband", label });
    const own = await rent(account.label("train"));
    const foreign = await rent(account.label("train", "prod"));
    const byHand = await rent("by-hand");
    const volume = await client.createStorageVolume({
      region: "us-central-1",
      label: account.label("data"),
      sizeInGb: 1024,
    });
    created = { own: own.id, foreign: foreign.id, byHand: byHand.id, volume: volume.storageVolumeId };
  });

  afterEach(() => account.close());

  async function remove(
    ids: number[],
    request: Partial<DeleteRequest> = {},
    others: Parameters<Account["situation"]>[1] = {},
  ) {
    const situation = await account.situation(undefined, others);
    const said: string[] = [];
    const left = await deleteOrphans(situation, await groupOrphans(situation), {
      ids: ids.map(String),
      yes: true,
      allowDataLoss: true,
      graceMs,
      say: (line) => said.push(line),
      ...request,
    });
    return { left, said };
  }

  const billing = () =>
    account.emulator
      .state()
      .filter((one) => one.billing)
      .map(({ id }) => id);

  test("tells apart what this stack, other stacks and others created, with age and price", async () => {
    const orphans = await groupOrphans(await account.situation());
    expect(showOrphans(orphans, plain, { graceMs })).toBe(
      `Orphans, created by fleet/dev but in no state: 2, $20.02/h
  ID    LABEL                         KIND               SIZE     REGION        STATUS    AGE     $/H
  1     ${account.label("data")}   storage volume     1024 GB  us-central-1  active   1d0h   $0.10
  1001  ${account.label("train")}  bare-metal rental  8×h100   us-central-1  Running  1d0h  $19.92

Storage volume 1 keeps 1024 GB for $0.10/h. Deleting it loses its contents, and needs --allow-data-loss.
What \`retainOnDelete\` kept is in no state either: make sure that nothing of this was kept on purpose, or belongs to a stack of this name in another backend.
To delete the machines: gpufleet orphans --delete 1001 --yes

Created by other stacks: 1, $19.92/h
  ID    LABEL                         KIND               SIZE    REGION        STATUS    AGE     $/H
  1002  ${account.label("train", "prod")}  bare-metal rental  8×h100  us-central-1  Running  1d0h  $19.92

Created by hand or by other programs: 1, $19.92/h
  ID    LABEL    KIND               SIZE    REGION        STATUS    AGE     $/H
  1003  by-hand  bare-metal rental  8×h100  us-central-1  Running  1d0h  $19.92`,
    );
    expect(JSON.parse(orphansJson([orphans]))).toMatchObject({
      stack: "fleet/dev",
      orphans: [
        { id: "1", costPerHour: 0.1024 },
        { id: "1001", ageSeconds: 86_400, costPerHour: 19.92 },
      ],
      otherStacks: [{ id: "1002" }],
      others: [{ id: "1003", label: "by-hand" }],
    });
  });

  test("marks prices of the price book, in sums, too", async () => {
    const situation = await account.situation();
    const byBook = situation.others.map((one) => ({ ...one, estimated: one.type === "StorageVolume" }));
    const shown = showOrphans(await groupOrphans({ ...situation, others: byBook }), plain, { graceMs });
    expect(shown).toMatch(/in no state: 2, ≈ \$20\.02\/h\n/);
    expect(shown).toContain("keeps 1024 GB for ≈ $0.10/h.");
    expect(shown).toMatch(/Created by other stacks: 1, \$19\.92\/h\n/);
    const said: string[] = [];
    await deleteOrphans(situation, await groupOrphans({ ...situation, others: byBook }), {
      ...{ ids: [String(created.volume)], yes: false, allowDataLoss: true, graceMs },
      say: (line) => said.push(line),
    });
    expect(said[0]).toMatch(/1024 GB, .*, ≈ \$0\.10\/h$/);
  });

  test("says in its help when it exits with 1, and that a list which the service does not have is not that", () => {
    const printed: string[] = [];
    const command = orphansCommand().configureOutput({ writeOut: (text) => printed.push(text) });
    command.outputHelp();
    expect(printed.join("").replace(/\s+/g, " ")).toContain(
      "or a list or an account could not be read. What the service has no list of is only named",
    );
  });

  test("points to recover where a run was interrupted", async () => {
    const situation = await account.situation();
    const urn = "urn:pulumi:dev::fleet::pulumi-nodejs:dynamic/gpufleet:BareMetalRental::train";
    const resource = {
      urn,
      type: "pulumi-nodejs:dynamic/gpufleet:BareMetalRental",
      inputs: { label: account.label("train") },
    };
    const state = { version: 3, deployment: { pending_operations: [{ type: "creating", resource }] } };
    const text = showOrphans(await groupOrphans({ ...situation, state }), plain, { graceMs });
    expect(text).toContain("Running, interrupted");
    expect(text).toContain(
      "Some may have been created by a run that was interrupted or is still going on: `gpufleet recover` settles that.",
    );
    expect(text).not.toContain("--delete");
  });

  test.each(["unresolved", "pending"])(
    "points to recover where a create is %s and the service writes labels in its own way",
    async (how) => {
      const situation = await account.situation();
      const label = account.label("train");
      const type = "pulumi-nodejs:dynamic/gpufleet:BareMetalRental";
      const resource = { urn: `urn:pulumi:dev::fleet::${type}::train`, type, inputs: { label }, outputs: { label } };
      const deployment =
        how === "pending"
          ? { pending_operations: [{ type: "creating", resource }] }
          : { resources: [{ ...resource, id: `unresolved:${label}` }] };
      const others = situation.others.map((one) => ({ ...one, label: one.label?.toUpperCase() }));
      const state = { version: 3, deployment };
      const text = showOrphans(await groupOrphans({ ...situation, state, others }), plain, { graceMs });
      expect(text).toContain("Running, interrupted");
      expect(text).not.toContain("--delete");
    },
  );

  test("deletes nothing that a run of this stack is still creating, however long that takes", async () => {
    const situation = await account.situation();
    const type = "pulumi-nodejs:dynamic/gpufleet:BareMetalRental";
    const resource = {
      ...{ urn: `urn:pulumi:dev::fleet::${type}::train`, type, inputs: { label: account.label("train") } },
    };
    const state = { version: 3, deployment: { pending_operations: [{ type: "creating", resource }] } };
    const interrupted = { ...situation, state };
    const orphans = await groupOrphans(interrupted);
    const request = { ids: [String(created.own)], yes: true, allowDataLoss: true, graceMs, say: () => {} };
    mayBeBusy.mockResolvedValueOnce({ kind: "busy", reason: "an update is in progress", isCertain: true });
    await expect(deleteOrphans(interrupted, orphans, request)).rejects.toThrow(
      `refused, and nothing was deleted: a run of this stack may be creating ${created.own}: an update is in progress`,
    );
    expect(billing()).toHaveLength(4);
    mayBeBusy.mockResolvedValueOnce({ kind: "idle" });
    await deleteOrphans(interrupted, orphans, request);
    expect(billing()).not.toContain(created.own);
  });

  test("deletes what this stack created and is old enough, machines first, and nothing else", async () => {
    const { left, said } = await remove([created.volume, created.own]);
    expect(left).toBe(0);
    expect(said.slice(-2)).toEqual([
      `Deleted bare-metal rental ${created.own}.`,
      `Deleted storage volume ${created.volume}.`,
    ]);
    expect(billing()).toEqual([created.foreign, created.byHand]);
  });

  test("deletes no volume without --allow-data-loss, nor anything beside it", async () => {
    await expect(remove([created.own, created.volume], { allowDataLoss: false })).rejects.toThrow(
      `refused, and nothing was deleted: storage volume ${created.volume} has contents, which would be lost with it (--allow-data-loss)`,
    );
    expect(billing()).toHaveLength(4);
  });

  test("deletes the one that it is given, and not another with the same label", async () => {
    const { client } = account.runtime;
    const label = account.label("train");
    const twin = await client.createBareMetalRental({ gpuCount: 8, networkType: "infiniband", label });
    await remove([twin.id]);
    expect(billing()).toContain(created.own);
    expect(billing()).not.toContain(twin.id);
  });

  test("only says what it would do without --yes", async () => {
    const { left, said } = await remove([created.own], { yes: false });
    expect(left).toBe(2);
    expect(said).toEqual([
      `Would delete bare-metal rental ${created.own} "${account.label("train")}", 8×h100, 1d0h old, $19.92/h`,
      "Nothing was deleted. Add --yes to delete.",
    ]);
    expect(billing()).toHaveLength(4);
  });

  test.each([
    ["of another stack", () => [created.own, created.foreign], "1002 was created by another stack"],
    ["not of this stack", () => [created.own, created.byHand], "1003 was not created by this stack"],
    ["not there", () => [created.own, 9999], "9999 does not exist in this account"],
  ])("refuses all where one is %s", async (_what, ids, reason) => {
    await expect(remove(ids())).rejects.toThrow(`refused, and nothing was deleted: ${reason}`);
    expect(billing()).toHaveLength(4);
  });

  test("refuses what another run may be creating", async () => {
    account.now = now - day + 60_000;
    await expect(remove([created.own])).rejects.toThrow(
      "refused, and nothing was deleted: bare-metal rental 1001 is only 1m00s old: another run may be creating it (--grace-minutes)",
    );
  });

  test("refuses what is in the state", async () => {
    const situation = await account.situation();
    const [own] = situation.others.filter(({ id }) => id === String(created.own));
    if (!own) throw new Error("it is not listed");
    const known = {
      ...situation,
      own: [{ ...own, urn: "urn" }],
      others: situation.others.filter((one) => one !== own),
    };
    const request = {
      ids: [String(created.own)],
      yes: true,
      allowDataLoss: false,
      graceMs: 0,
      say: () => undefined,
    };
    await expect(deleteOrphans(known, await groupOrphans(known), request)).rejects.toThrow(
      "1001 is in the state of fleet/dev: delete it with `pulumi destroy --target urn`",
    );
  });

  test("writes out no command that would be refused, and says why", async () => {
    account.now = now - day + 60_000;
    const orphans = await groupOrphans(await account.situation());
    const advice = (text: string) => text.split("\n").filter((line) => /refuses|To delete/.test(line));
    expect(advice(showOrphans(orphans, plain, { graceMs }))).toEqual([
      "Another run may be creating 1001: --delete refuses what is younger than 1h00m (--grace-minutes).",
    ]);
    placeOf({ cwd: "../fleet", stack: "dev" });
    expect(advice(showOrphans(orphans, plain, { graceMs: 30_000 }))).toEqual([
      "To delete the machines: gpufleet orphans --delete 1001 --grace-minutes 0.5 --yes --cwd ../fleet --stack dev",
    ]);
    placeOf({ cwd: "." });
    const machine = orphans.own.filter(({ id }) => id === String(created.own));
    const own = [
      ...machine,
      ...machine.map((one) => ({ ...one, id: "1005", createdAt: new Date(now).toISOString() })),
      ...machine.map((one) => ({ ...one, id: "1006", createdAt: undefined })),
    ].map((one) => ({ ...one, seenAt: now + 60_000 }));
    expect(advice(showOrphans({ ...orphans, own }, plain, { graceMs }))).toEqual([
      "Another run may be creating 1005: --delete refuses what is younger than 1h00m (--grace-minutes).",
      "--delete refuses 1006, because the age is unknown: end it in the service's console.",
      "To delete the other machines: gpufleet orphans --delete 1001 --yes",
    ]);
  });

  describe("names a volume that stays when its machine is deleted", () => {
    /** A rental with a volume of its own, as a create with `storageVolume: {isNew: true}` makes them. */
    async function rentWithVolume(volume: string) {
      const { client } = account.runtime;
      const storageVolume = { isNew: true as const, label: volume, sizeInGb: 512 };
      const label = account.label("lost");
      const { id } = await client.createBareMetalRental({
        gpuCount: 8,
        networkType: "infiniband",
        label,
        storageVolume,
      });
      const made = account.emulator.state().find((one) => one.label === volume);
      return { id, volumeId: Number(made?.id) };
    }

    test("in the list, in what would be done and after it was done", async () => {
      const { id, volumeId } = await rentWithVolume("scratch");
      const what = `Storage volume ${volumeId} "scratch" (512 GB, $0.0512/h)`;
      const stays = `is attached to ${id} and in no state: it stays, and keeps billing, when ${id} is deleted.`;
      const todo = `To keep it, set adoptId: ${volumeId} on a StorageVolume. Otherwise delete it, with its contents, in the service's console.`;
      const orphans = await groupOrphans(await account.situation());
      expect(showOrphans(orphans, plain, { graceMs }).split("\n")).toContain(`${what} ${stays} ${todo}`);
      expect(JSON.parse(orphansJson([orphans])).orphans).toContainEqual(
        expect.objectContaining({ id: String(id), volumes: [String(volumeId)] }),
      );
      expect((await remove([id], { yes: false })).said.slice(1)).toEqual([
        `${what} ${stays} ${todo}`,
        "Nothing was deleted. Add --yes to delete.",
      ]);
      expect((await remove([id])).said.slice(1)).toEqual([
        `Deleted bare-metal rental ${id}.`,
        `${what} was attached to ${id}. It is in no state, and keeps billing. ${todo}`,
      ]);
      expect(billing()).toContain(volumeId);
    });

    test("with the option that deletes it where this stack created it, unless it is deleted along", async () => {
      const { id, volumeId } = await rentWithVolume(account.label("scratch"));
      expect((await remove([id], { yes: false })).said[1]).toMatch(
        /on a StorageVolume\. --delete with --allow-data-loss deletes it with its contents\.$/,
      );
      expect((await remove([id, volumeId])).said.slice(2)).toEqual([
        `Deleted bare-metal rental ${id}.`,
        `Deleted storage volume ${volumeId}.`,
      ]);
    });

    test("but not one that a state has", async () => {
      const { id, volumeId } = await rentWithVolume("scratch");
      const type = "pulumi-nodejs:dynamic/gpufleet:StorageVolume";
      const resources = [{ urn: `urn:pulumi:prod::fleet::${type}::data`, type, id: String(volumeId), outputs: {} }];
      const others = { stacks: [{ name: "fleet/prod", state: { version: 3, deployment: { resources } } }] };
      expect((await remove([id], {}, others)).said.slice(1)).toEqual([`Deleted bare-metal rental ${id}.`]);
    });
  });

  describe("A twin, which the same request has created as one in the state,", () => {
    const type = "pulumi-nodejs:dynamic/gpufleet:BareMetalRental";
    const urn = `urn:pulumi:dev::fleet::${type}::train`;

    async function withTwin(more: Partial<State["deployment"]> = {}, outputs: Record<string, unknown> = {}) {
      const { client } = account.runtime;
      const label = account.label("train");
      const twin = await client.createBareMetalRental({ gpuCount: 8, networkType: "infiniband", label });
      const held = { urn, type, id: String(created.own), outputs: { label, ...outputs } };
      const situation = await account.situation({ version: 3, deployment: { resources: [held], ...more } });
      return { label, twin: twin.id, situation, orphans: await groupOrphans(situation) };
    }

    test("is said to be one, and is deleted alone however young it is, as the command is written out", async () => {
      account.now = now - day + 60_000;
      const { twin, situation, orphans } = await withTwin({}, { __predecessors: ["1004"] });
      const text = showOrphans(orphans, plain, { graceMs });
      expect(text).toContain(`Running, twin of ${created.own}`);
      expect(text).toContain(
        `\nThe request that created bare-metal rental 1001, which is in the state, also created ${twin}. \`pulumi destroy\` terminates both.\n`,
      );
      expect(text).toContain(`\nTo delete the machines: gpufleet orphans --delete ${twin} --yes\n`);
      const said: string[] = [];
      const say = (line: string) => said.push(line);
      const request = { ids: [String(twin)], yes: true, allowDataLoss: false, graceMs, say };
      await deleteOrphans(situation, orphans, request);
      expect(said.at(-1)).toBe(`Deleted bare-metal rental ${twin}.`);
      expect(billing()).toContain(created.own);
    });

    test("is this stack's also where the stack had another name", async () => {
      const { twin, situation } = await withTwin();
      const { own, otherStacks } = await groupOrphans({ ...situation, marks: ["zzzzzz"] });
      expect(own.map(({ id }) => id)).toEqual([String(twin)]);
      expect(otherStacks.map(({ id }) => id)).not.toContain(String(twin));
    });

    test("is left to recover while a create with its label is pending", async () => {
      const inputs = { label: account.label("train") };
      const { orphans } = await withTwin({
        pending_operations: [{ type: "creating", resource: { urn, type, inputs } }],
      });
      expect(showOrphans(orphans, plain, { graceMs })).not.toContain("To delete");
    });
  });

  test("says so where the service does not list a kind", async () => {
    const other = await openAccount({ dialect: "none" });
    const text = showOrphans(await groupOrphans(await other.situation()), plain, { graceMs });
    await other.close();
    expect(text).toBe(
      "No orphan of fleet/dev found, but not everything was looked at: virtual-machine rentals.\n\nThe service does not list virtual-machine rentals: there may be more than shown.",
    );
  });

  describe("beside the other stacks of the backend", () => {
    const type = "pulumi-nodejs:dynamic/gpufleet:BareMetalRental";
    const urn = `urn:pulumi:prod::fleet::${type}::train`;
    /** Stack prod, as after it was called dev, or after `pulumi state move`: what dev created is in its state. */
    const prod = (deployment: State["deployment"]) => ({
      stacks: [{ name: "fleet/prod", state: { version: 3, deployment } }],
    });
    const holdsOwn = () => prod({ resources: [{ urn, type, id: String(created.own), outputs: {} }] });

    test("what one of them has is no orphan, whose label it may have", async () => {
      const orphans = await groupOrphans(await account.situation(undefined, holdsOwn()));
      expect(orphans.own.map(({ id }) => id)).toEqual([String(created.volume)]);
      expect(showOrphans(orphans, plain, { graceMs })).toContain(`In stack fleet/prod: 1, $19.92/h
  ID    LABEL                         KIND               SIZE    REGION        STATUS    AGE     $/H
  1001  ${account.label("train")}  bare-metal rental  8×h100  us-central-1  Running  1d0h  $19.92
`);
      expect(JSON.parse(orphansJson([orphans]))).toMatchObject({
        orphans: [{ id: "1" }],
        inOtherStacks: [{ id: "1001", stack: "fleet/prod" }],
      });
    });

    test.each([
      ["a volume that was created with its rental", () => ({ __volume: { before: [], id: String(created.volume) } })],
      [
        "a volume that an older version has seen at its rental",
        () => ({
          storageVolume: { isNew: true, label: "data", sizeInGb: 1024 },
          attachedStorage: [{ id: created.volume, sizeInGb: 1024, costPerHour: 0.1 }],
        }),
      ],
    ])("%s is no orphan", async (_what, outputs) => {
      const others = prod({ resources: [{ urn, type, id: "1", outputs: outputs() }] });
      const { held, own } = await groupOrphans(await account.situation(undefined, others));
      expect(held.map(({ id, stack }) => [id, stack])).toEqual([[String(created.volume), "fleet/prod"]]);
      expect(own.map(({ id }) => id)).toEqual([String(created.own)]);
    });

    test.each([
      ["at another address", { address: "https://far.example" }],
      ["in another account", { account: "somebody-else" }],
    ])(
      "what has the id of a machine or a volume that one of them has %s is an orphan all the same",
      async (_, where) => {
        const theirs = { __where: { address: account.url, ...where } };
        const inline = { ...theirs, __volume: { before: [], id: String(created.volume) } };
        const others = prod({
          resources: [
            { urn, type, id: String(created.own), outputs: theirs },
            { urn, type, id: "1", outputs: inline },
          ],
        });
        const { held, own } = await groupOrphans(await account.situation(undefined, others));
        expect(held).toEqual([]);
        expect(own.map(({ id }) => id)).toEqual([String(created.volume), String(created.own)]);
      },
    );

    test("what one of them has by its very label is no orphan, also where it reaches the service at another address", async () => {
      const outputs = { label: account.label("train"), __where: { address: "https://eu.gateway.example" } };
      const others = prod({ resources: [{ urn, type, id: String(created.own), outputs }] });
      const { held, own } = await groupOrphans(await account.situation(undefined, others));
      expect(held.map(({ id }) => id)).toEqual([String(created.own)]);
      expect(own.map(({ id }) => id)).toEqual([String(created.volume)]);
    });

    test("what has the id of a machine that one of them has under another label is an orphan all the same", async () => {
      const others = prod({ resources: [{ urn, type, id: String(created.own), outputs: { label: "theirs" } }] });
      const { held, own } = await groupOrphans(await account.situation(undefined, others));
      expect(held).toEqual([]);
      expect(own.map(({ id }) => id)).toContain(String(created.own));
    });

    test("what a run of one of them may be creating, or has lost, is no orphan", async () => {
      const label = account.label("train");
      const pending = prod({ pending_operations: [{ type: "creating", resource: { urn, type, inputs: { label } } }] });
      const unresolved = prod({ resources: [{ urn, type, id: `unresolved:${label}`, outputs: { label } }] });
      for (const others of [pending, unresolved]) {
        const situation = await account.situation(undefined, others);
        const shown = situation.others.map((one) => ({ ...one, label: one.label?.toUpperCase() }));
        for (const one of [situation, { ...situation, others: shown }]) {
          const { own } = await groupOrphans(one);
          expect(own.map(({ id }) => id)).toEqual([String(created.volume)]);
        }
      }
    });

    test("nothing that one of them has is deleted", async () => {
      await expect(remove([created.own], {}, holdsOwn())).rejects.toThrow(
        "refused, and nothing was deleted: 1001 is in the state of fleet/prod: delete it there, with `destroy --target`",
      );
      expect(billing()).toHaveLength(4);
    });

    test("nothing is deleted while one of them cannot be read, and that is said", async () => {
      const others = { unread: [{ name: "fleet/prod", reason: "no access" }] };
      await expect(remove([created.own], {}, others)).rejects.toThrow(
        "refused, and nothing was deleted: the state of fleet/prod could not be read (no access), and may have it",
      );
      const orphans = await groupOrphans(await account.situation(undefined, others));
      const text = showOrphans(orphans, plain, { graceMs });
      expect(text).toContain(
        "The state of fleet/prod could not be read, and may have some of the orphans, so --delete refuses: no access",
      );
      expect(text).not.toContain("To delete");
      expect(billing()).toHaveLength(4);
    });

    test.each(["this stack", "another stack, which has it since"])(
      "what a resource of %s has replaced and kept is said to be, and no command deletes it",
      async (where) => {
        const own = { ...holdsOwn().stacks[0]?.state.deployment.resources?.[0], id: "7" };
        const outputs = { __predecessors: [String(created.own)] };
        const state = { version: 3, deployment: { resources: [{ urn, type, ...own, outputs }] } };
        const situation =
          where === "this stack"
            ? await account.situation(state)
            : await account.situation(undefined, { stacks: [{ name: "fleet/prod", state }] });
        const text = showOrphans(await groupOrphans(situation), plain, { graceMs });
        expect(text).toContain("Running, replaced and kept");
        expect(text).toContain("make sure that nothing of this was kept on purpose");
        expect(text).not.toContain("--delete");
      },
    );
  });

  test("what an unresolved create of this stack has created is in its state, and no orphan", async () => {
    const label = account.label("train");
    const type = "pulumi-nodejs:dynamic/gpufleet:BareMetalRental";
    const urn = `urn:pulumi:dev::fleet::${type}::train`;
    const resources = [{ urn, type, id: `unresolved:${label}`, inputs: { label }, outputs: { label } }];
    const situation = await account.situation({ version: 3, deployment: { resources } });
    expect((await groupOrphans(situation)).own.map(({ id }) => id)).toEqual([String(created.volume)]);
    expect(situation.own.map(({ id, name }) => [id, name])).toEqual([[String(created.own), "train"]]);
  });
});
