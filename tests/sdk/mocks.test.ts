import * as pulumi from "@pulumi/pulumi";
import type { MockCallArgs, MockResourceArgs } from "@pulumi/pulumi/runtime";
import * as gpufleet from "../../sdk";
import { settingsOf } from "../../sdk/provider";
import { resolved } from "./service";

const registered: MockResourceArgs[] = [];
const called: MockCallArgs[] = [];
const rental = { networkType: "infiniband", gpuCount: 8 } as const;

/** Set up as in Pulumi's own documentation. */
beforeAll(() =>
  pulumi.runtime.setMocks({
    newResource: (args) => {
      registered.push(args);
      return { id: args.inputs["mockId"] || args.id || `${args.name}-id`, state: args.inputs };
    },
    call: (args) => {
      called.push(args);
      return answers[args.token] ?? args.inputs;
    },
  }),
);

beforeEach(() => {
  registered.length = 0;
  called.length = 0;
});

const answers: Record<string, Record<string, unknown>> = {
  "gpufleet:index:getBalance": { usd: 12 },
  "gpufleet:index:getBareMetalRentals": { rentals: [{ rentalId: 1, status: "Running" }] },
  "gpufleet:index:chat": { text: "hello", requestId: "r1" },
  "gpufleet:index:chatStream": { requestId: "r2", pieces: [{ content: "a" }, { content: "b", finishReason: "stop" }] },
  "gpufleet:index:generateImage": { images: [{ image: Buffer.from("png").toString("base64"), randomSeed: 4 }] },
  "gpufleet:index:generateAudio": { audio: Buffer.from("mp3").toString("base64"), sampleRate: 16000 },
};

describe("Under the mocks of a unit test", () => {
  test("every resource can be made, with the inputs of the program", async () => {
    const node = new gpufleet.BareMetalRental("node", rental);
    const vm = new gpufleet.VmRental("vm", { gpuType: "h100", gpuCount: 1, networkType: "ethernet" });
    const data = new gpufleet.StorageVolume("data", { region: "us-central-1", sizeInGb: 256 });
    const args = { storageVolumeId: data.storageVolumeId, rentalIds: [node.rentalId] };
    const link = new gpufleet.VolumeAttachment("link", args);
    const instance = new gpufleet.MarketplaceInstance("instance", { gpuCount: 1, select: { gpuModel: "H100" } });
    const ids = await Promise.all([node.id, vm.id, data.id, link.id, instance.instanceId].map(resolved));
    expect(ids).toEqual(["node-id", "vm-id", "data-id", "link-id", "instance-id"]);
    expect(await resolved(node.gpuCount)).toBe(8);
    expect(await resolved(link.rentalIds)).toEqual([await resolved(node.rentalId)]);
    expect(registered.map(({ type }) => type.replace("pulumi-nodejs:dynamic/gpufleet:", "")).sort()).toEqual(
      ["BareMetalRental", "MarketplaceInstance", "StorageVolume", "VmRental", "VolumeAttachment"].sort(),
    );
  });

  test("a setting of a provider whose output has no value is left out, as one that is not given", async () => {
    const nothing = () => pulumi.output<string>(JSON.parse("null"));
    const provider = new gpufleet.Provider("other", {
      baseUrl: "https://other.example",
      apiKey: pulumi.secret(nothing()),
      namespace: pulumi.secret(nothing()),
      v1BaseUrl: nothing(),
      sshKeyFile: pulumi.secret("/keys/id"),
    });
    await resolved(provider.urn);
    expect(registered[0]?.inputs).toEqual({
      "gpufleet:baseUrl": "https://other.example",
      "gpufleet:sshKeyFile": expect.objectContaining({ value: "/keys/id" }),
      "gpufleet:provider": expect.stringContaining("::other"),
    });
  });

  test("the API key of a provider is a secret, and so is what the program keeps secret", async () => {
    const settings = settingsOf(
      new gpufleet.Provider("closed", { apiKey: "key-1", namespace: pulumi.secret("n"), baseUrl: "https://x.example" }),
    );
    expect(settings && (await resolved(settings))).toMatchObject({ apiKey: "key-1", namespace: "n" });
    for (const [args, isSecret] of [
      [{ apiKey: "key-1" }, true],
      [{ namespace: pulumi.secret("n") }, true],
      [{ baseUrl: "https://x.example" }, false],
    ] as const) {
      const written = settingsOf(new gpufleet.Provider("one", args));
      expect(written && (await pulumi.isSecret(written))).toBe(isSecret);
    }
  });

  test("a resource names those of its inputs that are secret, and nothing where there is none", async () => {
    const label = pulumi.secret("hush");
    const storageVolume = { isNew: true, label, sizeInGb: 512 } as const;
    await resolved(new gpufleet.BareMetalRental("closed", { ...rental, label, storageVolume }).urn);
    await resolved(new gpufleet.BareMetalRental("open", { ...rental, label: pulumi.output("said") }).urn);
    await resolved(new gpufleet.BareMetalRental("plain", rental).urn);
    expect(registered.map(({ inputs }) => inputs["__secrets"])).toEqual([
      ["label", "storageVolume"],
      undefined,
      undefined,
    ]);
    expect(registered.map(({ inputs }) => "__secrets" in inputs)).toEqual([true, false, false]);
  });

  test("a numeric id is its number, and a word is always the same positive number", async () => {
    const numbered = new gpufleet.BareMetalRental("numbered", { ...rental, ...{ mockId: "1042" } });
    expect(await resolved(numbered.rentalId)).toBe(1042);
    const [one, again, other] = await Promise.all(
      ["train", "train", "other"].map((name) => resolved(new gpufleet.BareMetalRental(name, rental).rentalId)),
    );
    expect(one).toBe(again);
    expect(one).not.toBe(other);
    expect(Number.isSafeInteger(one) && Number(one) > 0).toBe(true);
  });

  test("a machine has what ssh needs, also where the mocks know of no address", async () => {
    const ssh = [{ host: "203.0.113.7", port: 2222, user: "ubuntu" }];
    const [known, unknown] = [
      new gpufleet.VmRental("known", { gpuCount: 1, ...{ ssh } }),
      new gpufleet.VmRental("dev", { gpuCount: 1 }),
    ];
    expect(await resolved(known.connection)).toEqual(ssh[0]);
    expect(await resolved(known.sshConfig)).toBe(
      [
        "Host known",
        "  HostName 203.0.113.7",
        "  Port 2222",
        "  User ubuntu",
        "  HostKeyAlias gpufleet-vmrental-known-id-203.0.113.7-2222",
        "  StrictHostKeyChecking accept-new",
        "",
      ].join("\n"),
    );
    expect(await resolved(unknown.connection)).toEqual({ host: "dev.invalid", port: 22, user: "ubuntu" });
    expect(await resolved(unknown.sshConfig)).toBe("# dev has no ssh address\n");
  });

  test("a fleet resolves, with its members in order", async () => {
    const fleet = new gpufleet.GpuFleet("fleet", {
      kind: "bare-metal",
      count: 2,
      regions: ["us-central-1"],
      sharedVolume: { sizeInGb: 512 },
      ...rental,
    });
    const members = await resolved(fleet.members);
    expect(members.map(({ name }) => name)).toEqual(["fleet-0", "fleet-1"]);
    expect(members.map(({ rentalId }) => rentalId)).toEqual(
      await Promise.all(fleet.rentals.map(({ rentalId }) => resolved(rentalId))),
    );
    expect(await resolved(fleet.costPerHour)).toBeUndefined();
    expect(await resolved(fleet.sshConfig)).toContain("# fleet-0 has no ssh address");
    expect(await resolved(fleet.inventory)).toContain("[fleet]");
  });

  test("a fleet that is content with fewer has its volume attached to all of which nobody knows better", async () => {
    const fleet = new gpufleet.GpuFleet("few", {
      kind: "bare-metal",
      count: 2,
      minCount: 1,
      regions: ["us-central-1"],
      sharedVolume: { id: 7 },
      ...rental,
    });
    const members = await resolved(fleet.members);
    const attachment = registered.find(({ type }) => type.endsWith(":VolumeAttachment"));
    expect(attachment?.inputs["rentalIds"]).toEqual(members.map(({ rentalId }) => rentalId));
  });

  test("get, import and customTimeouts say what they do in the inputs", async () => {
    const seen = gpufleet.BareMetalRental.get("seen", "77");
    expect(await resolved(seen.rentalId)).toBe(77);
    const options = { import: "78", customTimeouts: { create: "5m" } };
    await resolved(new gpufleet.BareMetalRental("taken", rental, options).id);
    expect(registered.map(({ id, inputs }) => [id, inputs["adoptId"], inputs["timeouts"]])).toEqual([
      ["77", undefined, undefined],
      ["", "78", { create: "5m" }],
    ]);
    expect(() => new gpufleet.BareMetalRental("taken", { ...rental, adoptId: 79 }, options)).toThrow(
      'BareMetalRental "taken" has both adoptId and the option import, and they differ: leave one of them out. They mean the same.',
    );
  });

  test("an explicit provider is handed on to resources and functions", async () => {
    const provider = new gpufleet.Provider("other", {
      baseUrl: "https://other.example",
      apiKey: "secret",
      maxCostPerHour: 5,
      prices: { h100: 2 },
      movedFrom: ["https://a.example", "https://b.example"],
    });
    await resolved(new gpufleet.BareMetalRental("node", rental, { provider }).id);
    await gpufleet.getBalance({ provider });
    const [made, node] = registered;
    expect(made).toMatchObject({
      type: "pulumi:providers:pulumi-nodejs",
      inputs: {
        "gpufleet:baseUrl": "https://other.example",
        "gpufleet:apiKey": expect.objectContaining({ value: "secret" }),
        "gpufleet:maxCostPerHour": "5",
        "gpufleet:prices": '{"h100":2}',
        "gpufleet:movedFrom": "https://a.example,https://b.example",
        "gpufleet:provider": "urn:pulumi:stack::project::pulumi:providers:pulumi-nodejs::other",
      },
    });
    expect(node?.provider).toMatch(/::other::other-id$/);
    expect(called.map((call) => call.provider)).toEqual([node?.provider]);
    expect(() => new gpufleet.Provider("default_0_1_0", {})).toThrow(
      'Provider "default_0_1_0" needs another name: Pulumi gives this one to the provider that it makes itself',
    );
    expect(() => new gpufleet.Provider("other", { namespace: "n", ...{ baseURL: "https://other.example" } })).toThrow(
      'Provider "other" has no setting baseURL. Did you mean baseUrl?',
    );
  });

  test("functions go to the mocks, not to the network", async () => {
    expect(await gpufleet.getBalance()).toEqual({ usd: 12 });
    expect(await resolved(gpufleet.getBalanceOutput())).toEqual({ usd: 12 });
    const { rentals } = await gpufleet.getBareMetalRentals({ region: "us-central-1", label: undefined });
    expect(rentals).toEqual([{ rentalId: 1, status: "Running" }]);
    await gpufleet.getVmRentals();
    await gpufleet.getStorageVolumes();
    await gpufleet.getMarketplaceMachines({ gpuModel: "H100" });
    await gpufleet.getMarketplaceInstances();
    await gpufleet.getMarketplaceHistory();
    await gpufleet.requestReservation({ gpuCount: 64 });
    await gpufleet.getRequestCost({ requestIds: ["r1"] });
    expect(called.map(({ token, inputs }) => [token.replace("gpufleet:index:", ""), inputs])).toEqual([
      ["getBalance", {}],
      ["getBalance", {}],
      ["getBareMetalRentals", { region: "us-central-1" }],
      ["getVmRentals", {}],
      ["getStorageVolumes", {}],
      ["getMarketplaceMachines", { gpuModel: "H100" }],
      ["getMarketplaceInstances", {}],
      ["getMarketplaceHistory", {}],
      ["requestReservation", { gpuCount: 64 }],
      ["getRequestCost", { requestIds: ["r1"] }],
    ]);
  });

  test("inference goes to the mocks, with bytes as base64 and a stream as its parts", async () => {
    const ask = { model: "m", messages: [{ role: "user" as const, content: "hi" }] };
    expect(await gpufleet.chat(ask)).toEqual({ text: "hello", requestId: "r1" });
    const stream = await gpufleet.chatStream(ask);
    const pieces = [];
    for await (const { content } of stream) pieces.push(content);
    expect([stream.requestId, pieces]).toEqual(["r2", ["a", "b"]]);
    const { images } = await gpufleet.generateImage({ prompt: "a cat" });
    expect(images).toEqual([{ image: Buffer.from("png"), randomSeed: 4 }]);
    const { audio, sampleRate } = await gpufleet.generateAudio({ text: "hi" });
    expect([audio, sampleRate]).toEqual([Buffer.from("mp3"), 16000]);
  });
});
