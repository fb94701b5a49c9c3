import { homedir } from "node:os";
import { readConnection, readService, readSettings } from "../../provider/fronts/configuration";
import { explicitProviderKey } from "../../provider/shared/stub";

const config = (values: Record<string, string>) => (key: string) => values[key];
const none = config({});

describe("The connection", () => {
  test("is what the stack's configuration says", () => {
    const values = { baseUrl: "https://a.example", v1BaseUrl: "https://b.example", apiKey: "k", operations: '{"x":1}' };
    expect(readConnection(config(values), {})).toEqual({ ...values, operations: { x: 1 } });
  });

  test("is what the environment says, where it says anything: a rotated key must not lock a stack out", () => {
    const values = { baseUrl: "https://old.example", v1BaseUrl: "https://old.example", apiKey: "old" };
    const environment = {
      GPUFLEET_BASE_URL: "https://new.example",
      GPUFLEET_V1_BASE_URL: "https://new1.example",
      GPUFLEET_API_KEY: "new",
    };
    expect(readConnection(config(values), environment)).toMatchObject({
      baseUrl: "https://new.example",
      v1BaseUrl: "https://new1.example",
      apiKey: "new",
    });
    expect(readConnection(config(values), { GPUFLEET_API_KEY: "" })).toMatchObject({ apiKey: "old" });
  });

  test("without a base URL says where to put one", () => {
    expect(() => readConnection(none, {})).toThrow(
      "no base URL: set GPUFLEET_BASE_URL, or run `pulumi config set gpufleet:baseUrl https://…`. To try it without an account, run `gpufleet " +
        "emulator`",
    );
  });

  test("does not repeat operations that are no JSON at length", () => {
    const operations = `{${"x".repeat(500)}`;
    expect(() => readConnection(config({ baseUrl: "https://a.example", operations }), {})).toThrow(
      /^gpufleet:operations must be valid JSON, not "\{x{79}"$/,
    );
  });
});

describe("The connection of an explicit provider", () => {
  const provider = "urn:pulumi:dev::rig::pulumi:providers:pulumi-nodejs::other";
  const explicit = (values: Record<string, string>) => config({ ...values, provider });
  const environment = {
    GPUFLEET_BASE_URL: "https://env.example",
    GPUFLEET_V1_BASE_URL: "https://env1.example",
    GPUFLEET_API_KEY: "env",
  };

  test("is what it says itself, before the environment", () => {
    const own = { baseUrl: "https://own.example", v1BaseUrl: "https://own1.example", apiKey: "own" };
    expect(readConnection(explicit(own), environment)).toMatchObject(own);
    expect(readSettings(explicit({ reconcileSeconds: "5" }), { GPUFLEET_RECONCILE_SECONDS: "9" }).listLagMs).toBe(5000);
  });

  test("is completed from the environment", () => {
    expect(readConnection(explicit({ apiKey: "own" }), environment)).toMatchObject({
      baseUrl: "https://env.example",
      v1BaseUrl: "https://env1.example",
      apiKey: "own",
    });
    expect(readConnection(explicit({ baseUrl: "https://env.example/" }), environment).apiKey).toBe("env");
    expect(readConnection(explicit({ baseUrl: "https://own.example" }), { GPUFLEET_API_KEY: "env" }).apiKey).toBe(
      "env",
    );
  });

  test("sends the key of the environment to no other address", () => {
    const { apiKey, v1BaseUrl } = readConnection(explicit({ baseUrl: "https://own.example" }), environment);
    expect([apiKey, v1BaseUrl]).toEqual([undefined, undefined]);
  });

  test("without a base URL says where to put one", () => {
    expect(() => readConnection(explicit({}), {})).toThrow(
      'no base URL: give baseUrl to Provider "other", or set GPUFLEET_BASE_URL. The stack\'s configuration is only for resources without a provider of their own',
    );
  });
});

describe("The settings", () => {
  test("have their defaults", () => {
    expect(readSettings(none, {})).toEqual({
      namespace: "",
      maxCostPerHour: undefined,
      maxCostPerHourName: "gpufleet:maxCostPerHour",
      prices: new Map(),
      listLagMs: 120_000,
      marketplacePriceUnit: "usd",
      confirmGone: false,
      endExpired: false,
      sshKeyFile: undefined,
    });
  });

  test("are read from the configuration, the window from the environment first, a person's word from there alone", () => {
    const values = {
      namespace: "n",
      maxCostPerHour: "12.5",
      prices: '{"h100": 2.49}',
      reconcileSeconds: "60",
      marketplacePriceUnit: "cents",
      confirmGone: "1",
      sshKeyFile: "~/.ssh/gpu",
    };
    expect(readSettings(config(values), {}).sshKeyFile).toBe(`${homedir()}/.ssh/gpu`);
    expect(readSettings(config(values), {}).confirmGone).toBe(false);
    expect(
      readSettings(config(values), {
        GPUFLEET_RECONCILE_SECONDS: "0",
        GPUFLEET_CONFIRM_GONE: "1",
        GPUFLEET_SSH_KEY_FILE: "/keys/other",
      }),
    ).toEqual({
      namespace: "n",
      maxCostPerHour: 12.5,
      maxCostPerHourName: "gpufleet:maxCostPerHour",
      prices: new Map([["h100", new Map([["default", 2.49]])]]),
      listLagMs: 0,
      marketplacePriceUnit: "cents",
      confirmGone: true,
      endExpired: false,
      sshKeyFile: "/keys/other",
    });
  });

  test.each([
    [{ maxCostPerHour: "a lot" }, 'gpufleet:maxCostPerHour must be a number, 0 or more, not "a lot"'],
    [{ maxCostPerHour: "-1" }, 'gpufleet:maxCostPerHour must be a number, 0 or more, not "-1"'],
    [{ prices: '{"h10": 2}' }, 'gpufleet:prices has no price named "h10". Did you mean h100?'],
    [{ reconcileSeconds: "∞" }, 'gpufleet:reconcileSeconds must be a number, 0 or more, not "∞"'],
    [{ marketplacePriceUnit: "euro" }, 'gpufleet:marketplacePriceUnit must be usd or cents, not "euro"'],
  ])("refuse %j", (values, message) => {
    expect(() => readSettings(config(values), {})).toThrow(message);
    const ofProvider = { ...values, [explicitProviderKey]: "urn:pulumi:s::p::pulumi:providers:gpufleet::other" };
    expect(() => readSettings(config(ofProvider), {})).toThrow(
      message.replace(/^gpufleet:(\w+)/, '$1 of Provider "other"'),
    );
  });
});

test("An empty price book that a state has keeps nothing from being ended", () => {
  expect(readSettings(config({ prices: " " }), {}).prices.size).toBe(0);
});

test("That a new key is of the same account is a person's word in the environment, for one run", () => {
  const environment = { GPUFLEET_BASE_URL: "http://127.0.0.1:1", GPUFLEET_API_KEY: "k" };
  const confirmed = { ...environment, GPUFLEET_SAME_ACCOUNT: "1" };
  expect(readService(config({ sameAccount: "1" }), environment).isSameAccount).toBeUndefined();
  expect(readService(config({}), confirmed).isSameAccount).toBe(true);
});
