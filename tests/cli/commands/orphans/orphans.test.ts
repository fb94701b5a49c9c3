import { type DeleteRequest, deleteOrphans } from "../../../../cli/commands/orphans/delete";
import { groupOrphans } from "../../../../cli/commands/orphans/groupOrphans";
import { orphansJson, showOrphans } from "../../../../cli/commands/orphans/show";
import { type Account, openAccount } from "../../account/openAccount";

const plain = (_style: string, text: string) => text;
const day = 86_400_000;

describe("gpufleet orphans", () => {
  let account: Account;
  let created: { own: number; volume: number; foreign: number; byHand: number };
  const now = Date.UTC(2026, 0, 2);

  beforeEach(async () => {
    account = await openAccount({ clock: { now: () => now - day } });
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

  async function remove(ids: number[], request: Partial<DeleteRequest> = {}) {
    const situation = await account.situation();
    const said: string[] = [];
    const left = await deleteOrphans(situation, groupOrphans(situation), {
      ids: ids.map(String),
      yes: true,
      graceMs: 3_600_000,
      now,
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
    const orphans = groupOrphans(await account.situation());
    expect(showOrphans(orphans, now, plain)).toBe(
      `Orphans, created by fleet/dev but missing from its state: 2, $20.02/h
  ID    LABEL                         KIND               SIZE     REGION        STATUS    AGE     $/H
  1     ${account.label("data")}   storage volume     1024 GB  us-central-1  active   1d0h   $0.10
  1001  ${account.label("train")}  bare-metal rental  8×h100   us-central-1  Running  1d0h  $19.92

To delete them: gpufleet orphans --delete 1 1001 --yes

Created by other stacks: 1, $19.92/h
  ID    LABEL                         KIND               SIZE    REGION        STATUS    AGE     $/H
  1002  ${account.label("train", "prod")}  bare-metal rental  8×h100  us-central-1  Running  1d0h  $19.92

Created by hand or by other programs: 1, $19.92/h
  ID    LABEL    KIND               SIZE    REGION        STATUS    AGE     $/H
  1003  by-hand  bare-metal rental  8×h100  us-central-1  Running  1d0h  $19.92`,
    );
    expect(JSON.parse(orphansJson(orphans, now))).toMatchObject({
      stack: "fleet/dev",
      orphans: [
        { id: "1", costPerHour: 0.1024 },
        { id: "1001", ageSeconds: 86_400, costPerHour: 19.92 },
      ],
      otherStacks: [{ id: "1002" }],
      others: [{ id: "1003", label: "by-hand" }],
    });
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
    const text = showOrphans(groupOrphans({ ...situation, state }), now, plain);
    expect(text).toContain("Running, interrupted");
    expect(text).toContain("Some were created by an interrupted run: `gpufleet recover` brings them into the state.");
    expect(text).toContain("To delete them: gpufleet orphans --delete 1 --yes");
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
    await expect(remove([created.own], { now: now - day + 60_000 })).rejects.toThrow(
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
    const request = { ids: [String(created.own)], yes: true, graceMs: 0, now, say: () => undefined };
    await expect(deleteOrphans(known, groupOrphans(known), request)).rejects.toThrow(
      "1001 is in the state of fleet/dev: delete it with pulumi destroy --target",
    );
  });

  test("says so where the service does not list a kind", async () => {
    const other = await openAccount({ dialect: "none" });
    const text = showOrphans(groupOrphans(await other.situation()), now, plain);
    await other.close();
    expect(text).toBe(
      "No orphans: everything that fleet/dev created is in its state.\n\nThe service does not list virtual-machine rentals: there may be more than shown.",
    );
  });
});
