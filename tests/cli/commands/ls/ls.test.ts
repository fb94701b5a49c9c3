import type { Situations } from "../../../../cli/account";
import { takeInventory } from "../../../../cli/commands/ls/inventory";
import { inventoryJson, showInventory } from "../../../../cli/commands/ls/show";
import type { State } from "../../../../cli/stack/state";
import { type Account, openAccount } from "../../account/openAccount";
import { stateOf } from "../../account/stateOf";

const plain = (_style: string, text: string) => text;
const now = Date.UTC(2026, 0, 1);

describe("gpufleet ls", () => {
  let account: Account;
  let ids: { train: number; job: number; login: number; data: number; lost: number; foreign: number };

  beforeAll(async () => {
    account = await openAccount({ clock: { now: () => now - 7_200_000 } });
    account.now = now;
    const { client } = account.runtime;
    const rent = async (label: string) =>
      (await client.createBareMetalRental({ gpuCount: 8, networkType: "infiniband", label })).id;
    ids = {
      train: await rent(account.label("train")),
      job: await rent(account.label("job")),
      lost: await rent(account.label("lost")),
      foreign: await rent(account.label("head", "prod")),
      login: (await client.createVmRental({ gpuCount: 1, label: "login" })).id,
      data: (await client.createStorageVolume({ region: "us-central-1", sizeInGb: 1024, label: "data" }))
        .storageVolumeId,
    };
  });

  afterAll(() => account.close());

  const ownState = () =>
    stateOf(
      { name: "train", type: "BareMetalRental", id: ids.train },
      { name: "job", type: "BareMetalRental", id: ids.job, outputs: { expiresAtTime: "2025-12-31T23:00:00Z" } },
      { name: "login", type: "VmRental", id: ids.login, outputs: { expiresAtTime: "2026-01-01T08:00:00Z" } },
    );

  async function inventory(
    options: { ofAccount?: boolean; state?: State; others?: { name: string; state: State }[] } = {},
  ) {
    const { ofAccount = false, state = ownState(), others = [] } = options;
    const situation = await account.situation(state, { stacks: others });
    const all: [Situations] = [{ situations: [situation], leftOut: [], close: async () => undefined }];
    return { ...(await takeInventory(all, { ofAccount })), at: now };
  }

  test("lists what the stack runs with status, age, expiry, price and how to log in, and says what is not in the sum", async () => {
    expect(showInventory(await inventory(), plain)).toBe(
      `Stack fleet/dev  3 machines, 17 GPUs: $39.84/h, $956.16 a day
  NAME   KIND                    SIZE    REGION        STATUS     AGE    EXPIRES      $/H  SSH
  job    bare-metal rental       8×h100  us-central-1  Running  2h00m  1h00m ago   $19.92  ssh ubuntu@machine-1002.invalid
  login  virtual-machine rental  1×h100  us-central-1  Running  2h00m   in 8h00m  unknown  ssh ubuntu@machine-1005.invalid
  train  bare-metal rental       8×h100  us-central-1  Running  2h00m          –   $19.92  ssh ubuntu@machine-1001.invalid
Not included in the sum, because the price is unknown: login. Your own prices can be set in gpufleet:prices.
Past its expiry and still billed: job. \`gpufleet expired\` says more.
Elsewhere in the account  2 machines, 16 GPUs, 1 volume: $39.94/h, $958.62 a day. \`gpufleet ls --account\` lists it.`,
    );
  });

  test("lists the whole account, and whose each is: of a stack, an orphan, another stack's, or nobody's", async () => {
    const prod = stateOf({ name: "data", type: "StorageVolume", id: ids.data });
    const shown = await inventory({ ofAccount: true, others: [{ name: "fleet/prod", state: prod }] });
    expect(inventoryJson(shown).resources.map(({ name, owner, stack }) => [name, owner, stack])).toEqual([
      ["job", "stack", "fleet/dev"],
      ["login", "stack", "fleet/dev"],
      ["train", "stack", "fleet/dev"],
      ["data", "stack", "fleet/prod"],
      ["lost", "orphan", "fleet/dev"],
      ["head", "otherStack", null],
    ]);
    const text = showInventory(shown, plain);
    expect(text).toContain("Account of stack fleet/dev  5 machines, 33 GPUs, 1 volume: $79.78/h, $1,914.78 a day\n");
    expect(text).toMatch(/\n {2}fleet\/dev: orphan {2}lost +1003 /);
    expect(text).toMatch(/\n {2}another stack +head +1004 /);
    expect(text).toContain("An orphan was created by a stack and is in no state: `gpufleet orphans` says more.");
    expect(showInventory(await inventory({ ofAccount: true }), plain)).toMatch(
      /\n {2}none +data +1 +storage volume [\s\S]*To manage what is in no stack: `gpufleet import` writes the program\.$/,
    );
  });

  test("lists several stacks, each resource with its stack", async () => {
    const situations = (stack: string, state: State) =>
      account.situation(state, {}, stack).then((situation): Situations => {
        return { situations: [situation], leftOut: [], close: async () => undefined };
      });
    const all: [Situations, Situations] = [
      await situations("dev", stateOf({ name: "train", type: "BareMetalRental", id: ids.train })),
      await situations("prod", stateOf({ name: "head", type: "BareMetalRental", id: ids.foreign })),
    ];
    const text = showInventory(await takeInventory(all, { ofAccount: false }), plain);
    expect(text).toContain("2 stacks  2 machines, 16 GPUs: $39.84/h, $956.16 a day\n  STACK       NAME   KIND ");
    expect(text).toMatch(/\n {2}fleet\/dev {3}train .*\n {2}fleet\/prod {2}head /);
    expect(text).toMatch(
      /Elsewhere in the account {2}3 machines, 17 GPUs, 1 volume: .* a day without 1 of unknown price\. /,
    );
    const { resources } = inventoryJson(await takeInventory(all, { ofAccount: true }));
    expect(resources.map(({ name, owner }) => [name, owner])).toEqual([
      ["train", "stack"],
      ["head", "stack"],
      ["job", "orphan"],
      ["lost", "orphan"],
      ["login", "none"],
      ["data", "none"],
    ]);
  });

  test("warns of a state that could not be read: it may have what is shown as nobody's", async () => {
    const situation = await account.situation(ownState(), { unread: [{ name: "fleet/old", reason: "it is locked" }] });
    const all: [Situations] = [{ situations: [situation], leftOut: [], close: async () => undefined }];
    expect(showInventory(await takeInventory(all, { ofAccount: true }), plain)).toContain(
      "The state of fleet/old could not be read, and may have some of these: it is locked",
    );
  });

  test("prints JSON with a version, and null for what is unknown", async () => {
    const { resources, ...json } = inventoryJson(await inventory());
    expect(json).toMatchObject({
      version: 1,
      currency: "USD",
      at: "2026-01-01T00:00:00.000Z",
      stacks: ["fleet/dev"],
      total: { perHour: 39.84, known: 2, unknown: 1, estimated: false },
      elsewhere: { count: 3, perHour: 39.9424 },
    });
    expect(resources[1]).toEqual({
      stack: "fleet/dev",
      owner: "stack",
      id: String(ids.login),
      name: "login",
      type: "VmRental",
      kind: "virtual-machine rental",
      size: "1×h100",
      gpuModel: "h100",
      gpuCount: 1,
      sizeInGb: null,
      region: "us-central-1",
      status: "Running",
      createdAt: "2025-12-31T22:00:00.000Z",
      ageSeconds: 7200,
      costPerHour: null,
      estimated: false,
      isLastKnown: false,
      isReplaced: false,
      expiresAt: "2026-01-01T08:00:00Z",
      ssh: [{ host: "machine-1005.invalid", port: 22, user: "ubuntu" }],
      sshCommand: "ssh ubuntu@machine-1005.invalid",
    });
  });

  test("shows what the state last knew where a list cannot be read, and marks it", async () => {
    const [situation] = [await account.situation(ownState())];
    const [login] = situation.own.filter(({ name }) => name === "login");
    if (!login) throw new Error("it is not listed");
    const blind = {
      ...situation,
      own: [],
      unseen: [
        { ...login, isGone: false },
        { ...login, name: "gone", isGone: true },
      ],
      gaps: [{ what: "virtual-machine rentals", reason: "503" }],
    };
    const all: [Situations] = [{ situations: [blind], leftOut: [], close: async () => undefined }];
    const text = showInventory({ ...(await takeInventory(all, { ofAccount: false })), at: now }, plain);
    expect(text).toContain("Stack fleet/dev  1 machine, 1 GPU: price unknown\n");
    expect(text).toContain("  Running (last known)  ");
    expect(text).toContain(
      "Not included, except as the state last knew them, because it could not be read: virtual-machine rentals: 503",
    );
    expect(text).toContain("Not included, because the service does not list it: gone (virtual-machine rental 1005).");
  });

  test("marks prices of the price book, in the row and in the sum", async () => {
    const shown = await inventory();
    const entries = shown.entries.map((entry) =>
      entry.what.name === "login" ? { ...entry, what: { ...entry.what, costPerHour: 2.5, estimated: true } } : entry,
    );
    const text = showInventory({ ...shown, entries }, plain);
    expect(text).toContain("3 machines, 17 GPUs: ≈ $42.34/h, ≈ $1,016.16 a day\n");
    expect(text).toContain("  ≈ $2.50  ssh ");
    expect(text).toContain("≈ is a price of your price book: the service shows none.");
  });

  test("names the nodes of a rental by the first, and never writes out an address that is no address", async () => {
    const shown = await inventory();
    const [first] = shown.entries;
    if (!first) throw new Error("nothing is listed");
    const node = { host: "10.0.0.1", port: 2222, user: "root" };
    const show = (ssh: { host: string; port: number; user: string }[]) =>
      showInventory({ ...shown, entries: [{ ...first, what: { ...first.what, ssh } }] }, plain).split("\n")[2];
    expect(show([node, node])).toMatch(/ {2}ssh -p 2222 root@10\.0\.0\.1 \(1 of 2\)$/);
    expect(show([{ ...node, host: "x; rm -rf /" }])).not.toContain("rm");
  });

  test("shows how many GPUs the list has where the state does not say, and no number where neither does", async () => {
    const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "v1:abc" };
    const outputs = { gpuType: "h100", gpuCount: secret, status: "Running" };
    const train = { name: "train", type: "BareMetalRental", id: ids.train, outputs };
    const shown = await inventory({ state: stateOf(train) });
    expect(showInventory(shown, plain)).toMatch(/1 machine, 8 GPUs.* 8×h100/s);
    const uncounted = shown.entries.map((one) => ({
      ...one,
      what: { ...one.what, gpus: { model: "h100", count: undefined } },
    }));
    const show = (entries: typeof shown.entries) => showInventory({ ...shown, entries }, plain);
    expect(show(uncounted)).toMatch(/1 machine, an unknown number of GPUs.* \?×h100/s);
    expect(show([...shown.entries, ...uncounted])).toContain("2 machines, at least 8 GPUs");
  });

  test("says so where nothing runs", async () => {
    const empty = await openAccount();
    const all: [Situations] = [{ situations: [await empty.situation()], leftOut: [], close: async () => undefined }];
    expect(showInventory(await takeInventory(all, { ofAccount: false }), plain)).toBe("Stack fleet/dev\n  nothing");
    await empty.close();
  });
});
