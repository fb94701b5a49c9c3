import { type EndRequest, endOrphans } from "../../../../cli/commands/orphans/end";
import { orphansJson, showOrphans } from "../../../../cli/commands/orphans/show";
import { sortOrphans } from "../../../../cli/commands/orphans/sort";
import { type Account, openAccount } from "../../account/openAccount";

const plain = (_style: string, text: string) => text;
const day = 86_400_000;

describe("gpufleet orphans", () => {
  let account: Account;
  let made: { own: number; volume: number; foreign: number; byHand: number };
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
    made = { own: own.id, foreign: foreign.id, byHand: byHand.id, volume: volume.storageVolumeId };
  });

  afterEach(() => account.close());

  async function end(ids: number[], request: Partial<EndRequest> = {}) {
    const situation = await account.situation();
    const said: string[] = [];
    const left = await endOrphans(situation, sortOrphans(situation), {
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

  test("tells apart what bears this stack's mark, another's, and none, with age and price", async () => {
    const orphans = sortOrphans(await account.situation());
    expect(showOrphans(orphans, now, plain)).toBe(
      `Orphans of fleet/dev: they bear its mark, and its state does not know them: 2, $20.02/h
  ID    LABEL                         KIND               SIZE     REGION        STATUS    AGE     $/H
  1     ${account.label("data")}   storage volume     1024 GB  us-central-1  active   1d0h   $0.10
  1001  ${account.label("train")}  bare-metal rental  8×h100   us-central-1  Running  1d0h  $19.92

To end them: gpufleet orphans --delete 1 1001 --yes

With the mark of another stack: 1, $19.92/h
  ID    LABEL                         KIND               SIZE    REGION        STATUS    AGE     $/H
  1002  ${account.label("train", "prod")}  bare-metal rental  8×h100  us-central-1  Running  1d0h  $19.92

With no mark, made by hand or by other programs: 1, $19.92/h
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
      unmarked: [{ id: "1003", label: "by-hand" }],
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
    const text = showOrphans(sortOrphans({ ...situation, state }), now, plain);
    expect(text).toContain("Running, interrupted");
    expect(text).toContain("An interrupted run made some of them: `gpufleet recover` brings those into the state.");
    expect(text).toContain("To end them: gpufleet orphans --delete 1 --yes");
  });

  test("ends what bears the mark and is old enough, machines first, and nothing else", async () => {
    const { left, said } = await end([made.volume, made.own]);
    expect(left).toBe(0);
    expect(said.slice(-2)).toEqual([`Ended bare-metal rental ${made.own}.`, `Ended storage volume ${made.volume}.`]);
    expect(billing()).toEqual([made.foreign, made.byHand]);
  });

  test("only says what it would do without --yes", async () => {
    const { left, said } = await end([made.own], { yes: false });
    expect(left).toBe(2);
    expect(said).toEqual([
      `Would end bare-metal rental ${made.own} "${account.label("train")}", 8×h100, 1d0h old, $19.92/h`,
      "Nothing was ended. Add --yes to do it.",
    ]);
    expect(billing()).toHaveLength(4);
  });

  test.each([
    ["another stack's", () => [made.own, made.foreign], "1002 bears the mark of another stack"],
    ["what bears none", () => [made.own, made.byHand], "1003 bears no mark"],
    ["what is not there", () => [made.own, 9999], "9999 is nothing that the account has"],
  ])("refuses all where one is %s", async (_what, ids, reason) => {
    await expect(end(ids())).rejects.toThrow(`refused, and nothing was ended: ${reason}`);
    expect(billing()).toHaveLength(4);
  });

  test("refuses what may be on its way into the state", async () => {
    await expect(end([made.own], { now: now - day + 60_000 })).rejects.toThrow(
      "refused, and nothing was ended: bare-metal rental 1001 is only 1m00s old, and may be on its way into the state (--grace-minutes)",
    );
  });

  test("refuses what is in the state", async () => {
    const situation = await account.situation();
    const [own] = situation.others.filter(({ id }) => id === String(made.own));
    if (!own) throw new Error("it is not listed");
    const known = {
      ...situation,
      own: [{ ...own, urn: "urn" }],
      others: situation.others.filter((one) => one !== own),
    };
    const request = { ids: [String(made.own)], yes: true, graceMs: 0, now, say: () => undefined };
    await expect(endOrphans(known, sortOrphans(known), request)).rejects.toThrow(
      "1001 is in the state of fleet/dev: end it with pulumi destroy --target",
    );
  });

  test("says so where a kind is not listed", async () => {
    const other = await openAccount({ dialect: "none" });
    const text = showOrphans(sortOrphans(await other.situation()), now, plain);
    await other.close();
    expect(text).toBe(
      "No orphans: the state of fleet/dev knows everything that bears its mark.\n\nThe service does not list virtual-machine rentals: there may be some of them.",
    );
  });
});
