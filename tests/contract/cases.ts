import type { OperationName } from "../../provider/service";
import { bareMetalRecord, volumeRecord } from "../client/records";
import { type Contract, type ContractCase, casesOf, type Edge, missing } from "./edges";

const largest = 9_007_199_254_740_991;
const beyond = 9_007_199_254_740_992;

const vmRegions = [
  ...["us-central-1", "us-central-2", "eu-north-2", "eu-west-2", "eu-north-4", "eu-north-5", "us-east-1", "us-east-2"],
  ...[
    "ca-east-3",
    "eu-north-6",
    "eu-north-7",
    "eu-north-8",
    "ca-west-1",
    "ca-east-1",
    "us-central-3",
    "us-southeast-1",
  ],
  ...["me-central-1", "ca-east-2", "eu-west-1", "us-southeast-2", "jp-east-1", "mock-region"],
];
const bareMetalOnlyRegions = [
  ...["uk-central-3", "uk-southeast-3", "eu-southwest-3", "eu-southwest-3-1", "eu-west-3", "eu-west-4"],
];
const gpuTypes: Edge = {
  field: "gpuType",
  accepted: [missing, "h100", "h200", "b200"],
  refused: ["a100", "H100", null],
};
const labels = {
  accepted: ["abcd", "a".repeat(255), "A_z-09"],
  refused: ["abc", "a".repeat(256), "abc d", "abcé", "ab.cd", "abcd\n", "", 1234],
};
const numbers = { accepted: [0, 1.5, -1, 1e9], refused: ["1", null, true] };
const booleans = { accepted: [missing, true, false], refused: ["true", 1, null] };
const fractions = { accepted: [0, 0.5, 1], refused: [-0.01, 1.01, "1"] };
const integers = { accepted: [-1, 0, 1], refused: [0.5, "1"] };
const texts = { accepted: ["", "x", "日本語"], refused: [1, null, ["x"]] };

const rental: readonly Edge[] = [
  gpuTypes,
  { field: "label", accepted: [missing, "", "any text at all"], refused: [1, null] },
  { field: "termType", accepted: [missing, "on-demand", "reserved"], refused: ["private-cloud", "", null] },
  { field: "termPeriodDays", ...numbers },
  { field: "discountPercentage", ...numbers },
  { field: "monitoringEnabled", ...booleans },
  { field: "convertToOnDemandOnExpiry", ...booleans },
  { field: "surprise", refused: [1] },
];

const existing = (id: unknown) => ({ storageVolume: { isNew: false, id } });
const fresh = (fields: object) => ({ storageVolume: { isNew: true, label: "scratch", sizeInGb: 256, ...fields } });
const machine = {
  ...{ id: "n-1", status: "node_ready", instances: [], location: { region: "us" }, network: {}, gpus_total: 8 },
  ...{ gpus_reserved: 0, has_persistent_storage: true, supplier_id: "s", reserved: false, cluster_name: "c" },
  hardware: { cpus: [], gpus: [], storage: [], ram: [] },
  pricing: { price: { amount: 1, period: "hourly", agent: "blockchain" } },
};
const completion = {
  ...{ id: "c", object: "chat.completion", created: 1, model: "m" },
  choices: [{ index: 0, message: { role: "assistant", content: "a" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, total_tokens: 2, completion_tokens: 1 },
};
const messages = [{ role: "user", content: "hello" }];

/** Every operation of the table: one that is missing does not compile. */
export const contract: { readonly [Name in OperationName]: Contract } = {
  getOpenApi: {
    request: undefined,
    answer: { openapi: "3.1.0", paths: { "/v2/alpha/on-demand/bare-metal-rentals/{id}": { delete: {} } } },
  },
  listBareMetalRentals: { request: undefined, answer: [bareMetalRecord(1), bareMetalRecord(2)] },
  listStorageVolumes: { request: undefined, answer: [volumeRecord(1)] },
  listMarketplaceInstances: {
    request: undefined,
    answer: { instances: [{ id: "i-1", instance: { status: "running", pricing: { price: { amount: 1 } } } }] },
  },
  getMarketplaceHistory: { request: undefined, answer: { instance_history: [{ instance_name: "i-1", price: 1 }] } },
  getBalance: { request: undefined, answer: { credits: 100 } },

  getRequestCost: {
    request: { requestIds: ["a"] },
    answer: { requests: [{ requestId: "a", costNanoUsd: 1 }] },
    edges: [
      {
        field: "requestIds",
        accepted: [[], ["a"], Array.from({ length: 100 }, (_, index) => `id-${index}`)],
        // More than 100 are refused by the service; the client asks in batches instead.
        refused: [missing, "a", null, [1]],
      },
      { field: "surprise", refused: [1] },
    ],
  },

  attachStorageVolume: {
    request: { storageVolumeId: 1, rentalIds: [1001] },
    after: ["createBareMetalRental", "createStorageVolume"],
    answer: { storageVolumeId: 1, attachedRentalIds: [1001], message: "ok" },
    edges: [
      { field: "storageVolumeId", accepted: [1, largest], refused: [missing, 0, -1, beyond, 1.5, "1", null] },
      {
        field: "rentalIds",
        accepted: [[1], [1, 2], [largest], [-largest]],
        refused: [missing, [], [beyond], [-beyond], [1.5], ["1"], 1, null],
      },
      { field: "surprise", refused: [1] },
    ],
  },

  createBareMetalRental: {
    request: { networkType: "infiniband", gpuCount: 8 },
    answer: bareMetalRecord(1),
    edges: [
      { field: "networkType", accepted: ["infiniband", "ethernet"], refused: [missing, "wifi", "", null] },
      { field: "gpuCount", accepted: [8, 16, 1024], refused: [missing, 0, 1, 7, 9, -8, 8.5, "8", null] },
      {
        field: "region",
        accepted: [missing, "us-central-1", ...bareMetalOnlyRegions],
        refused: [...vmRegions.filter((region) => region !== "us-central-1"), "private-cloud", "", null],
      },
      { field: "cudaVersion", accepted: [missing, "cuda12.8", "cuda12.9"], refused: ["cuda12.7", "12.8", null] },
      { field: "storageVolume.id", within: existing, accepted: [1, largest], refused: [missing, 0, -1, 1.5, "1"] },
      { field: "storageVolume.label", within: (label) => fresh({ label }), ...labels },
      {
        field: "storageVolume.sizeInGb",
        within: (sizeInGb) => fresh({ sizeInGb }),
        accepted: [256, 257, 64_000],
        refused: [missing, 255, 64_001, 256.5, "256"],
      },
      { field: "storageVolume.isNew", within: (isNew) => fresh({ isNew }), refused: [missing, "true", 1, null] },
      { field: "storageVolume", accepted: [missing], refused: [1, "1", null] },
      ...rental,
    ],
  },

  requestReservation: {
    request: { gpuCount: 64 },
    answer: { message: "ok" },
    edges: [
      { field: "gpuCount", accepted: [1, 1.5, 100_000], refused: [missing, 0, 0.99, -1, "64", null] },
      { field: "surprise", refused: [1] },
    ],
  },

  createStorageVolume: {
    request: { region: "us-central-1", label: "data", sizeInGb: 256 },
    answer: {
      storageVolumeId: 1,
      region: "us-central-1",
      status: "active",
      label: "data",
      sizeInGb: 256,
      message: "ok",
      attachedRentals: [],
    },
    edges: [
      {
        field: "region",
        accepted: [...vmRegions, ...bareMetalOnlyRegions],
        refused: [missing, "private-cloud", "mars-1", "", null],
      },
      { field: "label", accepted: labels.accepted, refused: [missing, null, ...labels.refused] },
      {
        field: "sizeInGb",
        accepted: [256, 512, 64_000],
        refused: [missing, 0, 255, 257, 384, 64_001, 64_256, 256.5, "256", null],
      },
      {
        field: "rentalIds",
        accepted: [missing, [], [1], [largest]],
        refused: [[0], [-1], [1.5], ["1"], [beyond], 1, null],
      },
      { field: "surprise", refused: [1] },
    ],
  },

  createVmRental: {
    request: { gpuCount: 1 },
    answer: bareMetalRecord(1),
    edges: [
      { field: "gpuCount", accepted: [1, 8, 100], refused: [missing, "1", null] },
      { field: "networkType", accepted: [missing, "infiniband", "ethernet"], refused: ["wifi", null] },
      { field: "region", accepted: [missing, ...vmRegions], refused: [...bareMetalOnlyRegions, "private-cloud", null] },
      {
        field: "customPorts",
        accepted: [missing, [], [1], [65_535], Array.from({ length: 20 }, (_, index) => 8000 + index)],
        refused: [[0], [65_536], [1.5], ["80"], Array.from({ length: 21 }, (_, index) => 8000 + index), 80, null],
      },
      ...rental,
    ],
  },

  listMarketplaceMachines: {
    request: { filters: {} },
    answer: { instances: [machine] },
    edges: [{ field: "filters", accepted: [{}, { anything: "goes" }], refused: [1, "x", null] }],
  },

  createMarketplaceInstance: {
    request: { cluster_name: "c", node_name: "n", gpu_count: 1 },
    answer: { instance_id: "i-1" },
    edges: [
      { field: "cluster_name", accepted: ["c"], refused: [missing, 1, null] },
      { field: "node_name", accepted: ["n"], refused: [missing, 1, null] },
      { field: "gpu_count", accepted: [1], refused: [missing, "1", null] },
      { field: "image", accepted: [missing, { name: "nginx", tag: "1", port: 80 }], refused: ["nginx", null] },
      { field: "image.name", within: (name) => ({ image: { name, tag: "1", port: 80 } }), refused: [missing, 1] },
      { field: "image.tag", within: (tag) => ({ image: { name: "nginx", tag, port: 80 } }), refused: [1] },
      { field: "image.port", within: (port) => ({ image: { name: "nginx", tag: "1", port } }), refused: ["80"] },
      { field: "surprise", refused: [1] },
    ],
  },

  terminateMarketplaceInstance: {
    request: { id: "i-1" },
    answer: { status: "success", message: "ok" },
    edges: [
      { field: "id", accepted: ["i-1"], refused: [missing, 1, null] },
      { field: "surprise", refused: [1] },
    ],
  },

  chat: {
    request: { messages, model: "m" },
    answer: completion,
    edges: [
      { field: "messages", accepted: [messages], refused: [missing, "hello", null, [1]] },
      {
        field: "messages[0].role",
        within: (role) => ({ messages: [{ role, content: "hello" }] }),
        accepted: ["system", "assistant", "user"],
        refused: [missing, "robot", 1],
      },
      {
        field: "messages[0].content",
        within: (content) => ({ messages: [{ role: "user", content }] }),
        refused: [missing, 1],
      },
      { field: "model", accepted: ["m"], refused: [missing, 1, null] },
      { field: "frequency_penalty", ...fractions },
      { field: "presence_penalty", ...fractions },
      { field: "top_p", ...fractions },
      { field: "min_p", ...fractions },
      { field: "temperature", accepted: [0, 1.5, 2], refused: [-0.01, 2.01, "1"] },
      {
        field: "logit_bias.50",
        within: (bias) => ({ logit_bias: { 50: bias } }),
        accepted: [-100, 0.5, 100],
        refused: [-100.1, 100.1, "1"],
      },
      { field: "logprobs", accepted: [1, true, false], refused: ["yes", 0.5] },
      {
        field: "top_logprobs",
        within: (top_logprobs) => ({ logprobs: true, top_logprobs }),
        accepted: [missing, 0, 20],
        refused: [-1, 21, 0.5, "1"],
      },
      { field: "top_logprobs", refused: [0, 5] },
      { field: "top_logprobs", within: (top_logprobs) => ({ logprobs: false, top_logprobs }), refused: [5] },
      { field: "max_tokens", accepted: [1, 100_000], refused: [0.5, "1"] },
      { field: "n", accepted: [1, 4], refused: [0.5, "1"] },
      { field: "seed", ...integers },
      { field: "top_k", ...integers },
      { field: "stop", accepted: [[], ["a", "b"]], refused: ["a", [1]] },
      { field: "stream", accepted: [missing, false], refused: ["yes", 1] },
      { field: "user", ...texts },
      { field: "repetition_penalty", accepted: [0, 1, 1.5], refused: ["1"] },
    ],
  },

  generateImage: {
    request: { model_name: "m", prompt: "a cat", height: 64, width: 64, backend: "auto" },
    answer: { images: [{ index: 0, image: "AAAA" }] },
    edges: [
      { field: "prompt", accepted: ["a cat"], refused: [missing, 1, null] },
      { field: "model_name", accepted: ["m"], refused: [1, null] },
      { field: "height", accepted: [64], refused: [64.5, "64"] },
      { field: "width", accepted: [64], refused: [64.5, "64"] },
      { field: "backend", accepted: [missing, "auto"], refused: [1] },
    ],
  },

  generateAudio: {
    request: { text: "hello" },
    answer: { audio: "AAAA" },
    edges: [{ field: "text", accepted: ["hello"], refused: [missing, 1, null] }],
  },
};

/** The request of each operation. */
export const requests: Readonly<Record<string, unknown>> = Object.fromEntries(
  Object.entries(contract).map(([name, { request }]) => [name, request]),
);

/** What a service may answer to each operation. */
export const answers: Readonly<Record<string, unknown>> = Object.fromEntries(
  Object.entries(contract).map(([name, { answer }]) => [name, answer]),
);

export const cases: readonly ContractCase[] = namesOf(contract).flatMap((name) => casesOf(name, contract[name]));

function namesOf<Name extends string>(table: Record<Name, unknown>): Name[];
function namesOf(table: object): string[] {
  return Object.keys(table);
}
