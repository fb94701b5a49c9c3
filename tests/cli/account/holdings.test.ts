import { listHoldings } from "../../../cli/account/holdings";
import { type Account, openAccount } from "./openAccount";

const made = Date.UTC(2026, 0, 1);

describe("What an account holds", () => {
  let account: Account;

  beforeEach(async () => {
    account = await openAccount({ clock: { now: () => made } });
  });

  afterEach(() => account.close());

  const answer = (path: string, body: unknown) =>
    account.emulator.faults.add({ match: { method: "GET", path }, times: 100, kind: "status", status: 200, body });

  test("is counted once, however often a record is listed", async () => {
    const { client } = account.runtime;
    await client.createBareMetalRental({ gpuCount: 8, networkType: "infiniband" });
    const records = await client.listBareMetalRentals();
    answer("/v2/alpha/on-demand/bare-metal-rentals", [...records, ...records]);
    const { holdings } = await listHoldings(account.runtime);
    expect(holdings.map(({ id }) => id)).toEqual([String(records[0]?.id)]);
  });

  test("is not what has ended by the service's clock, and still what is only to end", async () => {
    const at = (id: string, end: string) => ({ id, end, instance: { status: "offline", gpu_count: 1 } });
    const instances = [at("past", "2025-12-31 23:59:00.123+00"), at("planned", "2026-01-02T00:00:00Z")];
    answer("/v1/marketplace/instances", { instances });
    const { holdings } = await listHoldings(account.runtime);
    expect(holdings.map(({ id }) => id)).toEqual(["planned"]);
  });
});
