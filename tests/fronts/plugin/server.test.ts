import * as grpc from "@grpc/grpc-js";
import * as services from "@pulumi/pulumi/proto/engine_grpc_pb";
import * as engineMessages from "@pulumi/pulumi/proto/engine_pb";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { createEmulator, defaults, type Emulator } from "../../../emulator";
import { functions } from "../../../plugin/functions";
import { methodsOf } from "../../../provider/fronts/plugin/methods";
import { OpenCalls } from "../../../provider/fronts/plugin/openCalls";
import { Plugin } from "../../../provider/fronts/plugin/plugin";
import { type Served, serve } from "../../../provider/fronts/plugin/server";
import { whereKey } from "../../../provider/lifecycle";
import { secret } from "../../../provider/shared/secretValue";
import { unknownValue } from "../../../provider/shared/unknown";

type Fields = Record<string, unknown>;
const struct = (fields: Fields) => Struct.fromJavaScript(fields as Record<string, JavaScriptValue>);
const fieldsOf = (sent: Struct | undefined): Fields => sent?.toJavaScript() ?? {};
const urnOf = (name: string, type = "BareMetalRental") => `urn:pulumi:dev::rig::gpufleet:index:${type}::${name}`;
const rental = { networkType: "infiniband", gpuCount: 8 };
const schema = {
  read: () =>
    JSON.stringify({ resources: { "gpufleet:index:BareMetalRental": { properties: { status: {}, label: {} } } } }),
};

const defaultProvider = "urn:pulumi:dev::rig::pulumi:providers:gpufleet::default_0_1_0";

/** A plugin behind real sockets, on an emulator of its own. */
class Rig {
  readonly emulator: Emulator;
  readonly plugin: Plugin;
  #client: ResourceProviderClient | undefined;
  #served: Served | undefined;

  constructor(options: Parameters<typeof createEmulator>[0] = {}) {
    this.emulator = createEmulator({ provisionSeconds: 0, endSeconds: 0, ...options });
    const protocol = { grpc, services, messages: engineMessages };
    this.plugin = new Plugin({ protocol, schema, functions, construct: () => undefined }, undefined);
  }

  async start(): Promise<void> {
    const methods = methodsOf(this.plugin, schema, new OpenCalls());
    this.#served = await serve(() => methods);
    const { port } = this.#served;
    this.#client = new ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
    const { url } = await this.emulator.listen();
    const args = struct({ baseUrl: url, apiKey: secret(defaults.apiKey), reconcileSeconds: "1" });
    await this.call("handshake", new messages.ProviderHandshakeRequest().setInvokeWithPreview(true));
    await this.call("configure", new messages.ConfigureRequest().setArgs(args).setUrn(defaultProvider));
  }

  async stop(): Promise<void> {
    this.#client?.close();
    this.#served?.close();
    await this.emulator.close();
  }

  call<Name extends Method>(name: Name, request: Request<Name>): Promise<Response<Name>> {
    return new Promise((resolve, reject) => {
      const client = this.#client;
      if (!client) throw new Error("not started");
      const send: unknown = Reflect.get(client, name);
      if (typeof send !== "function") throw new Error(`no method ${name}`);
      send.call(client, request, (error: grpc.ServiceError | null, response: Response<Name>) =>
        error ? reject(error) : resolve(response),
      );
    });
  }

  async check(news: Fields, { urn = urnOf("train"), olds = {}, seed = "" } = {}) {
    const request = new messages.CheckRequest().setUrn(urn).setOlds(struct(olds)).setNews(struct(news));
    const response = await this.call("check", request.setRandomseed(Buffer.from(seed)));
    return {
      inputs: fieldsOf(response.getInputs()),
      failures: response.getFailuresList().map((one) => one.toObject()),
    };
  }

  async create(inputs: Fields, { urn = urnOf("train"), preview = false, timeout = 0 } = {}) {
    const request = new messages.CreateRequest().setUrn(urn).setProperties(struct(inputs)).setPreview(preview);
    const response = await this.call("create", request.setTimeout(timeout));
    return {
      id: response.getId(),
      outputs: fieldsOf(response.getProperties()),
      refreshes: response.getRefreshBeforeUpdate(),
    };
  }
}

interface Calls {
  handshake: [messages.ProviderHandshakeRequest, messages.ProviderHandshakeResponse];
  configure: [messages.ConfigureRequest, messages.ConfigureResponse];
  checkConfig: [messages.CheckRequest, messages.CheckResponse];
  diffConfig: [messages.DiffRequest, messages.DiffResponse];
  check: [messages.CheckRequest, messages.CheckResponse];
  diff: [messages.DiffRequest, messages.DiffResponse];
  create: [messages.CreateRequest, messages.CreateResponse];
  read: [messages.ReadRequest, messages.ReadResponse];
  update: [messages.UpdateRequest, messages.UpdateResponse];
  delete: [messages.DeleteRequest, Empty];
  invoke: [messages.InvokeRequest, messages.InvokeResponse];
  getSchema: [messages.GetSchemaRequest, messages.GetSchemaResponse];
  cancel: [Empty, Empty];
}
type Method = keyof Calls;
type Request<Name extends Method> = Calls[Name][0];
type Response<Name extends Method> = Calls[Name][1];

/** What the engine saves of a resource that exists and is not as it should be. */
function initFailureIn(error: { metadata?: grpc.Metadata }) {
  const [details] = error.metadata?.get("grpc-status-details-bin") ?? [];
  if (!Buffer.isBuffer(details)) return undefined;
  const packed = Status.deserializeBinary(details).getDetailsList()[0];
  const failed = messages.ErrorResourceInitFailed.deserializeBinary(packed?.getValue_asU8() ?? new Uint8Array());
  return {
    id: failed.getId(),
    properties: fieldsOf(failed.getProperties()),
    reasons: failed.getReasonsList(),
    refreshes: failed.getRefreshBeforeUpdate(),
  };
}

describe("The plugin over gRPC", () => {
  const rig = new Rig();
  const backend = process.env["PULUMI_BACKEND_URL"];

  beforeAll(async () => {
    process.env["PULUMI_BACKEND_URL"] = "file:///nowhere";
    await rig.start();
  });

  afterAll(async () => {
    process.env["PULUMI_BACKEND_URL"] = backend ?? "";
    await rig.stop();
  });

  test("chooses labels that follow from the engine's seed, with the marks of the dynamic resource", async () => {
    const [one, same, other] = await Promise.all(["a", "a", "b"].map((seed) => rig.check(rental, { seed })));
    expect(one?.inputs["label"]).toBe(same?.inputs["label"]);
    expect(one?.inputs["label"]).not.toBe(other?.inputs["label"]);
    const dynamic = await rig.check(rental, {
      urn: urnOf("train").replace("gpufleet:index:", "pulumi-nodejs:dynamic/gpufleet:"),
      seed: "a",
    });
    expect(dynamic.inputs["label"]).toBe(one?.inputs["label"]);
  });

  test("says what is wrong with the inputs, and nothing of a secret's value", async () => {
    expect((await rig.check({ ...rental, gpuCount: 7 })).failures).toEqual([
      { property: "", reason: expect.stringMatching(/^gpuCount must be .*, not 7$/) },
    ]);
    const [failure] = (await rig.check({ ...rental, gpuCount: secret(7) })).failures;
    expect(failure?.reason).toMatch(/^gpuCount must be [^7]*$/);
    expect((await rig.check({ ...rental, gpuCount: unknownValue })).failures).toEqual([]);
  });

  test("refuses settings that do not exist or cannot be, and stores the key as a secret", async () => {
    const checking = async (news: Fields, name = "default") => {
      const urn = `urn:pulumi:dev::rig::pulumi:providers:gpufleet::${name}`;
      const request = new messages.CheckRequest().setUrn(urn).setNews(struct(news));
      const response = await rig.call("checkConfig", request);
      const reasons = response.getFailuresList().map((one) => one.getReason());
      return { inputs: fieldsOf(response.getInputs()), reasons };
    };
    expect((await checking({ maxCostPerHur: "5", version: "0.1.0" })).reasons).toEqual([
      "The setting gpufleet:maxCostPerHur does not exist. Did you mean gpufleet:maxCostPerHour? Remove it with `pulumi config rm gpufleet:maxCostPerHur`.",
    ]);
    expect((await checking({ maxCostPerHur: "5" }, "other")).reasons).toEqual([
      'Provider "other" has no setting maxCostPerHur. Did you mean maxCostPerHour?',
    ]);
    expect((await checking({ maxCostPerHour: "cheap" })).reasons).toEqual([
      'gpufleet:maxCostPerHour must be a number, 0 or more, not "cheap"',
    ]);
    expect((await checking({ apiKey: "k" })).inputs).toEqual({ apiKey: secret("k") });
  });

  test("never replaces a provider, also when that of dynamic resources gives way to it", async () => {
    const diff = await rig.call(
      "diffConfig",
      new messages.DiffRequest()
        .setOldInputs(struct({ "gpufleet:baseUrl": "http://a" }))
        .setNews(struct({ baseUrl: "b" })),
    );
    expect(diff.getReplacesList()).toEqual([]);
    const same = new messages.DiffRequest().setOldInputs(struct({ baseUrl: "b" }));
    const unchanged = await rig.call("diffConfig", same.setNews(struct({ baseUrl: "b", version: "0.2.0" })));
    expect(unchanged.getChanges()).toBe(messages.DiffResponse.DiffChanges.DIFF_NONE);
  });

  test("does not foretell in a preview what the gate of a fleet will say when its members change", async () => {
    const urn = "urn:pulumi:test::rig::gpufleet:index:GpuFleet$gpufleet:index:FleetReady::train-ready";
    const member = (name: string, id: string) => ({ name, id });
    const olds = {
      kind: "bare-metal",
      rentals: [member("train-0", "1")],
      members: [{ ...member("train-0", "1"), status: "Running", costPerHour: 19.92 }],
      costPerHour: 19.92,
    };
    const news = { kind: "bare-metal", rentals: [...olds.rentals, member("train-1", "2")] };
    const request = new messages.UpdateRequest().setId("train-ready").setUrn(urn).setPreview(true);
    const update = await rig.call("update", request.setOlds(struct(olds)).setNews(struct(news)));
    expect(fieldsOf(update.getProperties())).toMatchObject({
      rentals: news.rentals,
      members: unknownValue,
      costPerHour: unknownValue,
    });
  });

  test("creates, reads, compares, updates and deletes", async () => {
    const { inputs } = await rig.check(rental);
    const preview = await rig.create(inputs, { preview: true });
    expect(preview).toMatchObject({ id: "", outputs: { status: unknownValue, label: inputs["label"], gpuCount: 8 } });
    expect(rig.emulator.state()).toEqual([]);

    const { id, outputs, refreshes } = await rig.create(inputs, { timeout: 60 });
    expect(outputs).toMatchObject({ status: "Running", label: inputs["label"] });
    expect(outputs).not.toHaveProperty("timeouts");
    expect(refreshes).toBe(false);

    const about = { id, urn: urnOf("train") };
    const reading = new messages.ReadRequest().setId(id).setUrn(about.urn).setProperties(struct(outputs));
    const read = await rig.call("read", reading.setInputs(struct(inputs)));
    expect(fieldsOf(read.getProperties())).toEqual(outputs);
    const { [whereKey]: sentTo, ...lasting } = inputs;
    expect(sentTo).toEqual({ address: expect.stringMatching(/^http:/), key: expect.any(String) });
    expect(fieldsOf(read.getInputs())).toEqual(lasting);

    const compare = async (news: Fields) => {
      const request = new messages.DiffRequest().setId(id).setUrn(about.urn).setOlds(struct(outputs));
      const diff = await rig.call("diff", request.setOldInputs(struct(inputs)).setNews(struct(news)));
      return {
        changes: diff.getChanges() === messages.DiffResponse.DiffChanges.DIFF_SOME,
        replaces: diff.getReplacesList(),
        detailed: Object.fromEntries(
          [...diff.getDetaileddiffMap().entries()].map(([path, change]) => [path, change.getKind()]),
        ),
      };
    };
    const { Kind } = messages.PropertyDiff;
    expect(await compare(inputs)).toEqual({ changes: false, replaces: [], detailed: {} });
    expect(await compare({ ...inputs, storageVolume: { isNew: true, sizeInGb: 1 }, expiresAt: "8h" })).toEqual({
      changes: true,
      replaces: ["storageVolume"],
      detailed: { storageVolume: Kind.ADD_REPLACE, expiresAt: Kind.ADD },
    });
    // A state of dynamic resources is the same resource.
    const migrated = { ...outputs, __provider: "exports.handler=…" };
    const moved = new messages.DiffRequest().setId(id).setUrn(about.urn).setOlds(struct(migrated));
    const same = await rig.call(
      "diff",
      moved.setOldInputs(struct({ ...inputs, __provider: "…" })).setNews(struct(inputs)),
    );
    expect(same.getChanges()).toBe(messages.DiffResponse.DiffChanges.DIFF_NONE);

    const updating = new messages.UpdateRequest().setId(id).setUrn(about.urn).setOlds(struct(migrated));
    const updated = await rig.call("update", updating.setNews(struct({ ...inputs, expiresAt: "8h" })));
    const written = fieldsOf(updated.getProperties());
    expect(written).toMatchObject({ expiresAt: "8h", expiresAtTime: expect.any(String) });
    expect(written).not.toHaveProperty("__provider");

    await rig.call("delete", new messages.DeleteRequest().setId(id).setUrn(about.urn).setProperties(struct(written)));
    expect(rig.emulator.state().filter((one) => one.billing)).toEqual([]);
    const gone = await rig.call("read", reading);
    expect(gone.getId()).toBe("");
  });

  test("updates in place what lacks derived outputs, for programs that do not derive them", async () => {
    const about = { urn: urnOf("moved") };
    const { inputs } = await rig.check({ ...rental, label: "moved" }, about);
    const { id, outputs } = await rig.create(inputs, about);
    const { rentalId, sshConfig, connection, ...moved } = outputs;
    expect({ rentalId, sshConfig, connection }).toMatchObject({ rentalId: Number(id), sshConfig: expect.any(String) });
    const diff = async () => {
      const request = new messages.DiffRequest().setId(id).setUrn(about.urn).setOlds(struct(moved));
      const answer = await rig.call("diff", request.setOldInputs(struct(inputs)).setNews(struct(inputs)));
      return {
        replaces: answer.getReplacesList(),
        paths: [...answer.getDetaileddiffMap().entries()].map(([path]) => path).sort(),
      };
    };
    expect(await diff()).toEqual({ replaces: [], paths: ["connection", "rentalId", "sshConfig"] });
    const updating = new messages.UpdateRequest().setId(id).setUrn(about.urn).setOlds(struct(moved));
    const updated = await rig.call("update", updating.setNews(struct(inputs)));
    expect(fieldsOf(updated.getProperties())).toMatchObject({ rentalId, sshConfig, connection });
    await rig.call("delete", new messages.DeleteRequest().setId(id).setUrn(about.urn).setProperties(struct(moved)));
  });

  test("leaves what lacks derived outputs as it is for the classes of our SDK, which derive them", async () => {
    const about = { urn: urnOf("ours") };
    const { inputs } = await rig.check({ ...rental, label: "ours", __origin: `organization/${about.urn}` }, about);
    const { id, outputs } = await rig.create(inputs, about);
    const { rentalId: _, ...moved } = outputs;
    const request = new messages.DiffRequest().setId(id).setUrn(about.urn).setOlds(struct(moved));
    const answer = await rig.call("diff", request.setOldInputs(struct(inputs)).setNews(struct(inputs)));
    expect(answer.getChanges()).toBe(messages.DiffResponse.DiffChanges.DIFF_NONE);
    await rig.call("delete", new messages.DeleteRequest().setId(id).setUrn(about.urn).setProperties(struct(moved)));
  });

  test("tells an import, which takes it under management, from a look", async () => {
    const { inputs } = await rig.check({ ...rental, label: "mine" }, { urn: urnOf("mine") });
    const { id } = await rig.create(inputs, { urn: urnOf("mine") });
    const request = new messages.ReadRequest().setId(id).setUrn(urnOf("again"));
    const imported = await rig.call("read", request.setProperties(struct({})));
    const brought = fieldsOf(imported.getInputs());
    expect(brought).toMatchObject({ ...rental, label: "mine", waitForReady: true, __imported: true });
    const refreshed = await rig.call(
      "read",
      new messages.ReadRequest()
        .setId(id)
        .setUrn(urnOf("again"))
        .setProperties(imported.getProperties())
        .setInputs(imported.getInputs()),
    );
    expect(fieldsOf(refreshed.getInputs())).toEqual(brought);
    expect(fieldsOf(imported.getProperties())).not.toHaveProperty("__read");
    const looked = await rig.call("read", request.setInputs(struct({})));
    expect(fieldsOf(looked.getProperties())).toMatchObject({ status: "Running", __read: true });
    const gate = new messages.ReadRequest().setId("fleet-ready").setUrn(urnOf("fleet-ready", "FleetReady"));
    await expect(rig.call("read", gate.setProperties(struct({})))).rejects.toMatchObject({
      details: "FleetReady is part of a GpuFleet and cannot be imported",
    });
  });

  test("writes what becomes a secret anew, and keeps it one where the program no longer has it", async () => {
    const { inputs } = await rig.check({ ...rental, label: "hush-hush" });
    const { id, outputs } = await rig.create(inputs);
    const hidden = { ...inputs, label: secret("hush-hush") };
    const diff = async (olds: Fields) => {
      const request = new messages.DiffRequest().setId(id).setUrn(urnOf("train")).setOlds(struct(olds));
      const answer = await rig.call("diff", request.setOldInputs(struct(inputs)).setNews(struct(hidden)));
      return { changes: answer.getChanges(), diffs: answer.getDiffsList(), replaces: answer.getReplacesList() };
    };
    const { DIFF_NONE, DIFF_SOME } = messages.DiffResponse.DiffChanges;
    expect(await diff(outputs)).toEqual({ changes: DIFF_SOME, diffs: ["label"], replaces: [] });
    const request = new messages.UpdateRequest().setId(id).setUrn(urnOf("train")).setOlds(struct(outputs));
    const updated = await rig.call("update", request.setOldInputs(struct(inputs)).setNews(struct(hidden)));
    const written = fieldsOf(updated.getProperties());
    expect(written["label"]).toEqual(secret("hush-hush"));
    expect(await diff(written)).toEqual({ changes: DIFF_NONE, diffs: [], replaces: [] });
    expect((await rig.check(rental, { olds: hidden })).inputs["label"]).toEqual(secret("hush-hush"));
    await rig.call(
      "delete",
      new messages.DeleteRequest().setId(id).setUrn(urnOf("train")).setProperties(struct(written)),
    );
  });

  test("shows a secret label in no error", async () => {
    const { inputs } = await rig.check({ ...rental, label: "theirs" }, { urn: urnOf("hushed") });
    const { id, outputs } = await rig.create(inputs, { urn: urnOf("hushed") });
    const properties = struct({ ...outputs, label: secret("hush-hush"), __asked: { label: secret("Hush hush") } });
    const request = new messages.DeleteRequest().setId(id).setUrn(urnOf("hushed")).setProperties(properties);
    await expect(rig.call("delete", request)).rejects.toMatchObject({
      details: expect.stringMatching(/is labelled "theirs" there, and this resource's is "\[redacted\]"/),
    });
  });

  const invoke = async (name: string, args: Fields = {}, preview = false) => {
    const request = new messages.InvokeRequest().setTok(`gpufleet:index:${name}`).setArgs(struct(args));
    return fieldsOf((await rig.call("invoke", request.setPreview(preview))).getReturn());
  };

  test("answers a function without the key that the service has put into its answer", async () => {
    const label = `theirs, key=${defaults.apiKey}`;
    const urn = urnOf("echo");
    const { id, outputs } = await rig.create((await rig.check({ ...rental, label }, { urn })).inputs, { urn });
    expect(await invoke("getBareMetalRentals", { label })).toMatchObject({
      rentals: [{ label: "theirs, key=[redacted]" }],
    });
    const request = new messages.DeleteRequest().setId(id).setUrn(urn).setProperties(struct(outputs));
    await rig.call("delete", request);
  });

  test("answers the functions of the package", async () => {
    expect(await invoke("getBalance")).toEqual({ usd: expect.any(Number) });
    expect(await invoke("getBareMetalRentals", { label: "mine", region: null })).toMatchObject({
      rentals: [{ label: "mine" }],
    });
    expect(await invoke("getMarketplaceMachines", { limit: 1 })).toMatchObject({ machines: [{ available: true }] });
    const asks = Object.keys(functions).filter((name) => name.startsWith("get") && name !== "getRequestCost");
    // Each with the settings of this provider: the environment has none.
    for (const name of asks) expect(await invoke(name)).toBeDefined();
    expect(await invoke("requestReservation", { gpuCount: 512 }, true)).toEqual({
      sent: false,
      message: "not sent: this is a preview",
    });
    await expect(invoke("getWeather")).rejects.toMatchObject({
      details: expect.stringMatching(/^pulumi-gpufleet has no function getWeather\. It has getBalance, /),
    });
    await expect(rig.check({}, { urn: urnOf("x", "Toaster") })).rejects.toMatchObject({
      details: expect.stringMatching(/^pulumi-gpufleet has no resource type gpufleet:index:Toaster\. It has /),
    });
    expect((await rig.call("getSchema", new messages.GetSchemaRequest())).getSchema()).toBe(schema.read());
  });
});

describe("An engine that is too old", () => {
  const rig = new Rig();

  beforeAll(() => rig.start());
  afterAll(() => rig.stop());

  test.each([
    ["does not say which provider it configures", { tellsPreview: true, urn: "" }],
    ["does not say whether a function is called in a preview", { tellsPreview: false, urn: defaultProvider }],
  ])("is refused: it %s", async (_, { tellsPreview, urn }) => {
    await rig.call("handshake", new messages.ProviderHandshakeRequest().setInvokeWithPreview(tellsPreview));
    const request = new messages.ConfigureRequest().setArgs(struct({})).setUrn(urn);
    await expect(rig.call("configure", request)).rejects.toMatchObject({
      details: expect.stringMatching(/^the plugin needs Pulumi 3\.206\.0 or later: /),
    });
  });
});

describe("Cancel", () => {
  const rig = new Rig({ provisionSeconds: 600 });

  beforeAll(() => rig.start());
  afterAll(() => rig.stop());

  test("ends a wait at once with the id, secrets marked, and nothing is sent after it", async () => {
    const { inputs } = await rig.check({ ...rental, label: secret("hush-hush"), expiresAt: "8h" });
    const creating = rig.create(inputs).catch((error: grpc.ServiceError) => error);
    while (rig.emulator.state().length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 300));
    await rig.call("cancel", new Empty());
    const { total } = rig.emulator.requests();
    const error = await creating;
    if (!("metadata" in error)) throw new Error("it did not fail");
    const failed = initFailureIn(error);
    expect(failed).toMatchObject({
      id: String(rig.emulator.state()[0]?.id),
      properties: { label: secret("hush-hush"), status: "Pending", __unfinished: true },
      // It was not ready yet: the next preview looks at it first.
      refreshes: true,
    });
    expect(failed?.reasons[0]).toMatch(
      /^creating BareMetalRental "train": cancelled; no further requests are sent\. It is in the state with id \d+\./,
    );
    await expect(rig.create(inputs, { urn: urnOf("late") })).rejects.toMatchObject({
      details: expect.stringContaining("cancelled; no further requests are sent"),
    });
    expect(rig.emulator.requests().total).toBe(total);
    expect(rig.emulator.state()).toHaveLength(1);
  });
});
