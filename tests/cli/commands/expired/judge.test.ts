import { judgeExpired } from "../../../../cli/commands/expired/judge";
import { Stack } from "../../../../cli/stack/stack";
import type { State } from "../../../../cli/stack/state";
import { type Account, openAccount } from "../../account/openAccount";

const type = "pulumi-nodejs:dynamic/gpufleet:BareMetalRental";
const hours = 3600;

/** A rental that was created just now by the clock of its service, and expires after so many seconds. */
function stateWith(id: string, skew: number, seconds: number): State {
  const expiresAtTime = new Date(Date.now() + (skew + seconds) * 1000).toISOString();
  const outputs = { gpuType: "h100", gpuCount: 8, status: "Running", costPerHour: 19.92, expiresAtTime };
  const resource = { urn: `urn:pulumi:dev::fleet::${type}::job`, type, id, inputs: { expiresAt: "8h" }, outputs };
  return { version: 3, deployment: { resources: [resource] } };
}

function judge(baseUrl: string | undefined, state: State, destroy: boolean) {
  const stack = new Stack({ cwd: "/" });
  stack.readConfig = async () => (key) => ({ baseUrl, apiKey: "emulator-key" })[key];
  return judgeExpired(stack, state, { destroy });
}

describe.each([8 * hours, -8 * hours])("Expiry at a service whose clock is %i s ahead of ours", (skew) => {
  let account: Account;
  let id: string;

  beforeAll(async () => {
    account = await openAccount({ clockSkewSeconds: skew });
    const order = { gpuCount: 8, networkType: "infiniband", label: "job" } as const;
    id = String((await account.runtime.client.createBareMetalRental(order)).id);
  });

  afterAll(() => account.close());

  test.each([false, true])("goes by the service's clock, with --destroy: %s", async (destroy) => {
    expect(await judge(account.url, stateWith(id, skew, 4 * hours), destroy)).toEqual({ expired: [], notes: [] });
    const { expired, notes } = await judge(account.url, stateWith(id, skew, -5), destroy);
    expect(expired).toMatchObject([{ name: "job", unasked: undefined }]);
    expect(notes).toEqual([]);
  });

  test("is asked for with one request", async () => {
    const before = account.emulator.requests().total;
    await judge(account.url, stateWith(id, skew, -5), false);
    expect(account.emulator.requests().total - before).toBe(1);
  });
});

describe("Where the service cannot be asked for its time", () => {
  const refused = /^GET \/billing\/get_current_balance/;

  test.each([false, true])("it is said that this machine's clock was used, with --destroy: %s", async (destroy) => {
    const { expired, notes } = await judge("http://127.0.0.1:9", stateWith("1", 0, -5), destroy);
    expect(expired).toMatchObject([{ name: "job", unasked: expect.any(String) }]);
    expect(notes).toEqual([
      `Judged by this machine's clock, because the service could not be asked for the time: ${expired[0]?.unasked}`,
    ]);
    if (!destroy) expect(expired[0]?.unasked).toMatch(refused);
  });

  test("nor where no address is configured", async () => {
    const { notes } = await judge(undefined, stateWith("1", 0, -5), false);
    expect(notes).toEqual([
      expect.stringMatching(
        /^Judged by this machine's clock, because the service could not be asked for the time: .*baseUrl/,
      ),
    ]);
  });
});
