import { type Service, type StateEntry, type StateWitness, whereKey, witnessFor } from "../../../provider/lifecycle";

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
  entries: async () => entries,
  elsewhere: async () => entries,
  interrupted: async () => [],
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
    (await witnessFor(provider, () => asked, witness(entries)).entries(stack))?.map(({ id }) => id);

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

  test("leaves out what other stacks have at another address", async () => {
    const elsewhere = [
      entry("here", providers.other, { address: "https://a.example/v1", key: "k2" }),
      entry("moved", providers.default, { address: "https://old.example" }),
      entry("there", providers.default, { address: "https://b.example" }),
      entry("unsaid", providers.default),
    ];
    const found = await witnessFor(undefined, () => service, witness(elsewhere)).elsewhere(stack);
    expect(found.map(({ id }) => id)).toEqual(["here", "moved", "unsaid"]);
  });
});
