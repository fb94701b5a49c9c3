import { listHoldings } from "../../../cli/account/holdings";
import { atOtherAddress, inOtherAccount, refuseMisplaced } from "../../../cli/account/whereabouts";
import { commandRuntime } from "../../../cli/stack/runtime";
import type { State } from "../../../cli/stack/state";
import { oneWay, whereaboutsOf } from "../../../provider/lifecycle";
import { automaticLabel } from "../../../provider/shared/label";
import { type Account, openAccount } from "./openAccount";

const type = "pulumi-nodejs:dynamic/gpufleet:BareMetalRental";
const elsewhere = "https://gpu.example";

/** Two automatic labels of one resource. */
const urn = `urn:pulumi:dev::fleet::${type}::lost`;
const labelBy = (random: number) => automaticLabel({ organization: "organization", urn, namespace: "" }, () => random);
const listed = labelBy(0.1);
const unlisted = labelBy(0.2);

/** A stack with one rental, as the provider leaves it: with where the machine is and whose. */
describe("A command refuses", () => {
  let account: Account;
  let id: string;

  beforeAll(async () => {
    account = await openAccount();
    const rental = { gpuCount: 8, networkType: "infiniband", label: "train" } as const;
    id = String((await account.runtime.client.createBareMetalRental(rental)).id);
    await account.runtime.client.createBareMetalRental({ ...rental, label: listed });
  });

  afterAll(() => account.close());

  async function stateWith(more: { id?: string; where?: object; label?: string } = {}): Promise<State> {
    const { lists } = await listHoldings(account.runtime);
    const view = lists.get("BareMetalRental")?.find(id);
    if (!view) throw new Error("it is not listed");
    const where = { ...whereaboutsOf(account.runtime.service, "v2", view), ...more.where };
    const outputs = { label: more.label ?? "train", __where: where };
    const urn = `urn:pulumi:dev::fleet::${type}::train`;
    return { version: 3, deployment: { resources: [{ urn, type, id: more.id ?? id, outputs }] } };
  }

  const runtimeWith = (environment: NodeJS.ProcessEnv) =>
    commandRuntime(() => undefined, {
      GPUFLEET_BASE_URL: account.url,
      GPUFLEET_API_KEY: "emulator-key",
      ...environment,
    });
  const key = (name: string) => oneWay("key", name);

  async function judge(state: State, environment: NodeJS.ProcessEnv = {}) {
    const runtime = runtimeWith(environment);
    const { lists } = await listHoldings(account.runtime);
    refuseMisplaced(atOtherAddress(state, runtime.service));
    refuseMisplaced(inOtherAccount(state, runtime, lists));
  }

  test("nothing where the state is of this address and this account", async () => {
    await expect(judge(await stateWith())).resolves.toBeUndefined();
  });

  test("another address than the state's, and names both", async () => {
    await expect(judge(await stateWith({ where: { address: elsewhere, account: undefined } }))).rejects.toThrow(
      `refused: BareMetalRental "train": it is at ${elsewhere}, but the configuration says ${account.url}, so nothing was read, changed or terminated. Set GPUFLEET_BASE_URL or gpufleet:baseUrl back to ${elsewhere}; or, if the service itself has moved, set GPUFLEET_MOVED_FROM or gpufleet:movedFrom to ${elsewhere}.`,
    );
  });

  test("no address that the service has moved from", async () => {
    const moved = await stateWith({ where: { address: elsewhere, account: undefined } });
    await expect(judge(moved, { GPUFLEET_MOVED_FROM: elsewhere })).resolves.toBeUndefined();
  });

  test("another account, where a machine of the same id is somebody else's, and names both keys", async () => {
    await expect(judge(await stateWith({ where: { account: "another", key: "then" } }))).rejects.toThrow(
      `refused: BareMetalRental "train": the API key belongs to another account: bare-metal rental ${id} is there, too, but it is somebody else's. Use the key of the account that rented it (last seen with the API key then, now used: ${key("emulator-key")}).`,
    );
    await expect(judge(await stateWith({ label: "ours" }))).rejects.toThrow(
      `${id} is labelled "train" there, and this resource's is "ours": it is somebody else's.`,
    );
  });

  test("another key that does not list the machine, and names both", async () => {
    const lost = await stateWith({ id: "4242", where: { account: "another", key: "then" } });
    await expect(judge(lost)).rejects.toThrow(
      `refused: BareMetalRental "train": bare-metal rental 4242 is not listed at ${account.url}, and the API key may be that of another account (last seen with the API key then, now used: ${key("emulator-key")}). Use a key of the account that rented it; or, if it is gone, set GPUFLEET_CONFIRM_GONE=1.`,
    );
    await expect(judge(lost, { GPUFLEET_CONFIRM_GONE: "1" })).resolves.toBeUndefined();
  });

  test("no key that was rotated, as long as the machines or others of the account are listed", async () => {
    await expect(judge(await stateWith({ where: { key: "then" } }))).resolves.toBeUndefined();
    await expect(judge(await stateWith({ id: "4242", where: { key: "then" } }))).resolves.toBeUndefined();
  });

  describe("a create of which nobody knows what it has created", () => {
    const inOtherKey = () =>
      `refused: BareMetalRental "lost": it is not known whether it was created, and the API key may be that of another account, in which the bare-metal rental would not be listed (requested with the API key then, now used: ${key("emulator-key")}). Use the former key; or, if both are keys of one account, run this once with GPUFLEET_SAME_ACCOUNT=1.`;
    const sentTo = (where: object, label: string) => ({
      label,
      __where: { address: account.url, key: "then", ...where },
    });
    const interrupted = (where: object = {}, label = unlisted): State => ({
      version: 3,
      deployment: {
        pending_operations: [{ type: "creating", resource: { urn, type, inputs: sentTo(where, label) } }],
      },
    });
    const unresolved = (where: object = {}): State => ({
      version: 3,
      deployment: { resources: [{ urn, type, id: `unresolved:${unlisted}`, outputs: sentTo(where, unlisted) }] },
    });

    test.each([
      ["interrupted", interrupted],
      ["unresolved", unresolved],
    ])("and that was %s: with another key, and at another address", async (_, state) => {
      await expect(judge(state())).rejects.toThrow(inOtherKey());
      await expect(judge(state({ address: elsewhere }))).rejects.toThrow(
        `refused: BareMetalRental "lost": it is at ${elsewhere}, but the configuration says ${account.url}`,
      );
    });

    test.each([
      ["interrupted", interrupted],
      ["unresolved", unresolved],
    ])(
      "and that was %s: not with the same key, nor if a person says that the account is the same",
      async (_, state) => {
        await expect(judge(state({ key: key("emulator-key") }))).resolves.toBeUndefined();
        await expect(judge(state(), { GPUFLEET_SAME_ACCOUNT: "1" })).resolves.toBeUndefined();
      },
    );

    test("not where another machine of the state shows that the key is one of this account", async () => {
      const { deployment } = await stateWith({ where: { key: "then" } });
      const state = { version: 3, deployment: { ...deployment, ...interrupted().deployment } };
      await expect(judge(state)).resolves.toBeUndefined();
    });

    test("not where its very label is listed", async () => {
      await expect(judge(interrupted({}, listed))).resolves.toBeUndefined();
    });
  });

  test("nothing where an older version wrote the state", async () => {
    await expect(judge(await stateWith({ where: { address: undefined } }))).resolves.toBeUndefined();
  });
});
