import { accountsOf, leftOutNotes, otherPartOf, partOf } from "../../../cli/stack/providers";
import { Stack } from "../../../cli/stack/stack";
import { parseState, type State } from "../../../cli/stack/state";

const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
const urn = (type: string, name: string) => `urn:pulumi:dev::fleet::${type}::${name}`;
const providerType = "pulumi:providers:pulumi-nodejs";
const rentalType = "pulumi-nodejs:dynamic/gpufleet:BareMetalRental";

const provider = (name: string, settings: Record<string, unknown> = {}) => ({
  urn: urn(providerType, name),
  type: providerType,
  id: `${name}-id`,
  inputs: Object.fromEntries(Object.entries(settings).map(([key, value]) => [`gpufleet:${key}`, value])),
});
const explicit = (name: string, settings: Record<string, unknown>) =>
  provider(name, { ...settings, provider: urn(providerType, name) });
const rental = (name: string, of: string, more: object = {}) => ({
  urn: urn(rentalType, name),
  type: rentalType,
  id: "1001",
  provider: `${urn(providerType, of)}::${of}-id`,
  ...more,
});
const stateOf = (...resources: object[]) => parseState(JSON.stringify({ version: 3, deployment: { resources } }));
const names = (state: State) => state.deployment.resources?.map(({ urn }) => urn.split("::").at(-1));

/** A stack with this configuration, and with this state where secrets are asked for. */
class KnownStack extends Stack {
  constructor(
    private readonly config: Record<string, string>,
    private readonly opened: () => State,
  ) {
    super({ cwd: "/" });
  }

  override async readConfig() {
    return (key: string) => this.config[key];
  }

  override async exportState() {
    return this.opened();
  }
}

const open = (
  state: State,
  config: Record<string, string> = { baseUrl: "https://a.example", apiKey: "k1" },
  env = {},
) => accountsOf(new KnownStack(config, () => state), state, env);

describe("The accounts of a stack", () => {
  test("are one where there is no explicit provider, whatever it is configured for", async () => {
    const { accounts, leftOut } = await open(stateOf(provider("default"), rental("a", "default")), {});
    expect(accounts.map(({ title }) => title)).toEqual([undefined]);
    expect(leftOut).toEqual([]);
  });

  test("have each their own part of the state, without what the program only reads", async () => {
    const state = stateOf(
      provider("default"),
      explicit("other", { baseUrl: "https://b.example", apiKey: "k2", namespace: "n" }),
      rental("here", "default"),
      rental("there", "other"),
      rental("seen", "other", { external: true }),
    );
    const { accounts } = await open(state);
    expect(accounts.map(({ title, namespaces }) => ({ title, namespaces }))).toEqual([
      { title: undefined, namespaces: [""] },
      { title: 'provider "other"', namespaces: ["n"] },
    ]);
    expect(accounts.map((account) => names(partOf(state, account)))).toEqual([
      ["default", "other", "here", "seen"],
      ["default", "other", "there", "seen"],
    ]);
    expect(accounts.map((account) => names(otherPartOf(state, account)))).toEqual([["there"], ["here"]]);
  });

  test("are one where two providers have the same address and key", async () => {
    const same = { baseUrl: "https://a.example/", apiKey: "k1" };
    const state = stateOf(
      explicit("one", { ...same, namespace: "n" }),
      explicit("two", { baseUrl: "https://b.example" }),
      explicit("three", { baseUrl: "https://b.example", namespace: "m" }),
    );
    const { accounts } = await open(state);
    expect(accounts.map(({ title, namespaces }) => ({ title, namespaces }))).toEqual([
      { title: undefined, namespaces: ["", "n"] },
      { title: 'provider "two", provider "three"', namespaces: ["", "m"] },
    ]);
  });

  test("lack that of the configuration where it says no address and nothing needs one", async () => {
    const other = explicit("other", { baseUrl: "https://b.example" });
    expect((await open(stateOf(other), {})).accounts.map(({ title }) => title)).toEqual(['provider "other"']);
    const needed = await open(stateOf(other, rental("here", "default")), {});
    expect(needed.accounts.map(({ title }) => title)).toEqual([undefined, 'provider "other"']);
  });

  test("lack that of an address without a key, unless something is rented from it", async () => {
    const other = explicit("other", { apiKey: "k2" });
    const env = { GPUFLEET_BASE_URL: "https://a.example" };
    const titlesIn = async (...more: object[]) =>
      (await open(stateOf(other, ...more), {}, env)).accounts.map(({ title }) => title);
    expect(await titlesIn()).toEqual(['provider "other"']);
    expect(await titlesIn(rental("here", "default"))).toEqual([undefined, 'provider "other"']);
  });

  test("leave out a provider whose key cannot be decrypted or that has no address, and say whose resources these are", async () => {
    const sealed = { ...secret, ciphertext: "v1:…" };
    const state = stateOf(
      explicit("sealed", { baseUrl: "https://b.example", apiKey: sealed }),
      explicit("nowhere", {}),
      rental("there", "sealed"),
    );
    const stack = new KnownStack({ baseUrl: "https://a.example", apiKey: "k1" }, () => {
      throw new Error("incorrect passphrase");
    });
    const { accounts, leftOut } = await accountsOf(stack, state, {});
    expect(accounts.map(({ title }) => title)).toEqual([undefined]);
    expect(leftOutNotes(leftOut)).toEqual([
      'Not included, because the account of provider "sealed" could not be asked: BareMetalRental "there". incorrect passphrase',
      'Not included, because the account of provider "nowhere" could not be asked. no base URL: give baseUrl to Provider "nowhere", or set GPUFLEET_BASE_URL. The stack\'s configuration is only for resources without a provider of their own',
    ]);
  });

  test("are asked with the decrypted key", async () => {
    const sealed = stateOf(explicit("other", { baseUrl: "https://b.example", apiKey: { ...secret, ciphertext: "…" } }));
    const opened = stateOf(
      explicit("other", { baseUrl: "https://b.example", apiKey: { ...secret, plaintext: '"k2"' } }),
    );
    const { accounts } = await accountsOf(new KnownStack({}, () => opened), sealed, {});
    expect(accounts.map(({ config }) => config("apiKey"))).toEqual(["k2"]);
  });
});
