import {
  holds,
  isDefaultOf,
  isDefaultProvider,
  type Machine,
  noWitness,
  oneWay,
  type Service,
  type StateEntry,
  type StateWitness,
  type Values,
  whereKey,
  witnessFor,
} from "../../../provider/lifecycle";

const stack = { organization: "organization", project: "rig", stack: "dev" };
const providers = {
  default: "urn:pulumi:dev::rig::pulumi:providers:pulumi-nodejs::default_3_248_0",
  other: "urn:pulumi:dev::rig::pulumi:providers:pulumi-nodejs::other",
};
const service: Service = {
  addresses: { v2: "https://a.example", v1: "https://a.example/v1" },
  key: "k1",
  movedFrom: ["https://old.example"],
};

const entry = (id: string, provider: string | undefined, where?: object): StateEntry => ({
  urn: `urn:pulumi:dev::rig::type::${id}`,
  type: "BareMetalRental",
  id,
  outputs: where ? { [whereKey]: where } : {},
  provider,
});

const witness = (entries: StateEntry[]): StateWitness => ({
  ...noWitness,
  entries: async () => entries,
  isWhole: async () => true,
});

test.each([
  ["pulumi:providers:gpufleet::default", true],
  ["pulumi:providers:gpufleet::default_0_1_0", true],
  ["pulumi:providers:gpufleet::default_0_1_0_alpha_1", true],
  ["pulumi:providers:gpufleet::default_0_1_0_https_//example.com", true],
  ["pulumi:providers:gpufleet::default_github_//api.github.com", true],
  ["pulumi:providers:gpufleet::default_eu", false],
  ["pulumi:providers:gpufleet::defaults", false],
  // The engine gives its own providers no parent.
  ["my:index:Lab$pulumi:providers:gpufleet::default_0_1_0", false],
])("%s is a provider that the engine has made itself: %s", (type, isDefault) => {
  expect(isDefaultProvider(`urn:pulumi:dev::rig::${type}`)).toBe(isDefault);
});

describe("The state as one provider sees it", () => {
  const entries = [
    entry("own", providers.default, { address: "https://b.example", key: "k9" }),
    entry("unsaid", undefined),
    entry("other", providers.other),
    entry("other-account", providers.other, { address: "https://a.example", key: "k2" }),
    entry("other-service", providers.other, { address: "https://b.example", key: "k1" }),
    entry("same-account", providers.other, { address: "https://a.example", key: "k1" }),
  ];
  const seen = async (provider: string | undefined, asked: Service | undefined) =>
    (await witnessFor({ urn: provider }, () => asked, witness(entries)).entries(stack))?.map(({ id }) => id);

  test("has its own entries, and those of other providers only where they are of the same account", async () => {
    expect(await seen(undefined, service)).toEqual(["own", "unsaid", "same-account"]);
    expect(await seen(providers.other, service)).toEqual([
      "unsaid",
      "other",
      "other-account",
      "other-service",
      "same-account",
    ]);
  });

  test("has its own entries where it is not known yet where the service is", async () => {
    expect(await seen(undefined, undefined)).toEqual(["own", "unsaid"]);
  });

  test("has what its other providers have, and the other stacks, apart from its own", async () => {
    const far = entry("far", providers.default);
    const state = { ...witness(entries), elsewhere: async () => [far] };
    const found = await witnessFor({}, () => service, state).elsewhere(stack);
    expect(found.map(({ id }) => id)).toEqual(["other", "other-account", "other-service", "far"]);
  });
});

describe("Default providers of a stack", () => {
  const spelled = (name: string) => `urn:pulumi:dev::rig::pulumi:providers:${name}`;
  const here = { address: "https://a.example", key: "k1" };

  test.each([
    ["gpufleet::default", true],
    ["gpufleet::default_0_2_0", true],
    ["gpufleet::default_0_2_0_https_//example.com", true],
    ["gpufleet::default_0_1_0", false],
    ["gpufleet::default_0_2_0_alpha_1", false],
    ["gpufleet::other", false],
    ["pulumi-nodejs::default", false],
  ])("%s is that of the plugin 0.2.0: %s", (name, isOwn) => {
    expect(isDefaultOf(spelled(name), "pulumi:providers:gpufleet", "0.2.0")).toBe(isOwn);
  });

  test("of another kind or version are another's, wherever what they have was last seen", async () => {
    const entries = [
      entry("own", spelled("gpufleet::default_0_2_0"), here),
      entry("older", spelled("gpufleet::default_0_1_0"), here),
      entry("dynamic", spelled("pulumi-nodejs::default")),
    ];
    const isDefault = (urn: string) => isDefaultOf(urn, "pulumi:providers:gpufleet", "0.2.0");
    const seen = await witnessFor({ isDefault }, () => service, witness(entries)).entries(stack);
    expect(seen?.map(({ id, isAnothers = false }) => [id, isAnothers])).toEqual([
      ["own", false],
      ["older", true],
      ["dynamic", true],
    ]);
  });
});

describe("What other providers have at this moment", () => {
  const [own, adopted] = [entry("own", providers.default), entry("adopted", providers.other)];
  const here = { address: "https://a.example", key: "k1" };
  const theirs = { ...adopted, outputs: { [whereKey]: here } };
  const changing = (present: StateEntry[]) => {
    const asked: unknown[] = [];
    const state: StateWitness = {
      ...noWitness,
      entries: async (_, { now = false } = {}) => {
        asked.push(now);
        return now ? present : [own];
      },
    };
    return { state, asked };
  };
  const idsOf = (entries: readonly StateEntry[] | undefined) => entries?.map(({ id }) => id);

  test("is seen beside what this process has first seen of its own", async () => {
    const { state } = changing([theirs]);
    const seen = witnessFor({}, () => service, state);
    expect(idsOf(await seen.entries(stack))).toEqual(["own"]);
    expect(idsOf(await seen.entries(stack, { now: "others" }))).toEqual(["own", "adopted"]);
  });

  test("is asked for every few seconds, whether there is any or not: it may come at any moment", async () => {
    const time = { now: 0 };
    for (const present of [[theirs], [own]]) {
      const { state, asked } = changing(present);
      const seen = witnessFor(
        {},
        () => service,
        state,
        () => time.now,
      );
      for (const seconds of [0, 1, 10, 20, 40]) {
        time.now = seconds * 1000;
        await seen.entries(stack, { now: "others" });
      }
      expect(asked.filter((now) => now === true)).toHaveLength(4);
    }
  });
});

describe("An entry with the type and the id of a machine", () => {
  const type = "BareMetalRental";
  const machine = { id: "7", label: "train-1", account: ["user-a"] };
  const here = { address: "https://a.example", account: oneWay("https://a.example", "user-a"), key: "k2" };
  const isHeldBy = (outputs: Values, of: Machine = machine) =>
    holds({ ...entry("7", undefined), outputs }, type, of, service);

  test.each<[string, Values]>([
    ["of the same address, account and label", { [whereKey]: here, label: "train-1" }],
    ["of the interface for instances", { [whereKey]: { address: "https://a.example/v1" } }],
    [
      "of an address from which the service has moved",
      { [whereKey]: { address: "https://old.example", account: oneWay("https://old.example", "user-a") } },
    ],
    ["whose label the service has written in its own way", { [whereKey]: here, label: "Train_1" }],
    ["that asked for the label", { label: "renamed", __asked: { label: "train-1" } }],
    ["that came by its label with the machine", { label: "train-1", __asked: { label: null } }],
    ["of an older version that says neither", {}],
  ])("holds it: one %s", (_, outputs) => {
    expect(isHeldBy(outputs)).toBe(true);
  });

  test.each<[string, Values]>([
    ["of another address", { [whereKey]: { address: "https://b.example" } }],
    ["of another address with the same label", { [whereKey]: { address: "https://b.example" }, label: "train-1" }],
    ["of another account", { [whereKey]: { ...here, account: oneWay("https://a.example", "user-b") } }],
    ["with another label", { [whereKey]: here, label: "other" }],
    ["of an older version with another label", { label: "other" }],
  ])("does not hold it: one %s", (_, outputs) => {
    expect(isHeldBy(outputs)).toBe(false);
  });

  test("holds it where the record does not say whose it is, nor its label", () => {
    const silent = { id: "7" };
    const account = oneWay("https://a.example", "user-b");
    expect(isHeldBy({ [whereKey]: { ...here, account }, label: "other" }, silent)).toBe(true);
    expect(isHeldBy({ [whereKey]: { address: "https://b.example" } }, silent)).toBe(false);
  });

  test("holds it where the service has cut its automatic label since", () => {
    const label = "train-5tsb35-3jbbkw2u-exuv5e";
    expect(isHeldBy({ label }, { id: "7", label: label.slice(0, 20) })).toBe(true);
    expect(isHeldBy({ label }, { id: "7", label: "train" })).toBe(false);
  });

  test("does not hold one of another type or id", () => {
    expect(holds(entry("7", undefined), "VmRental", machine, service)).toBe(false);
    expect(holds(entry("8", undefined), type, machine, service)).toBe(false);
  });
});
