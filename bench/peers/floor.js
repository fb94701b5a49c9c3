/**
 * The floor: a dynamic resource with the inputs and outputs of a BareMetalRental, defaults included, whose handler does
 * nothing but make one request in the life of its process, with the HTTP client that ours uses. What it takes is what the engine,
 * its dynamic-provider host and that client take. Like ours, it registers a constant line instead of a closure.
 */
const pulumi = require("@pulumi/pulumi");

/** What a program may leave out. */
const defaults = {
  convertToOnDemandOnExpiry: true,
  discountPercentage: 0,
  gpuType: "h100",
  keepVolume: false,
  label: "rental-0-aaaaaa-bbbbbbbb-cccccc",
  region: "us-central-1",
  termType: "on-demand",
  waitForGpus: false,
  waitForReady: true,
  waitForSsh: false,
};

const outputs = {
  __where: { account: "aaaaaaaaaaaa", address: "http://127.0.0.1:12345", key: "bbbbbbbbbbbb" },
  attachedStorage: [],
  costPerHour: 19.92,
  createdAt: "2026-01-01T00:00:00.000Z",
  gpuFormFactor: "sxm5",
  nodes: [{ cpuCount: 128, cpuModel: "Emulated 64-core", gpuCount: 8, ramGb: 2048, storageGb: 30720 }],
  ssh: [{ host: "machine-1001.invalid", port: 22, user: "ubuntu" }],
  sshCommand: "ssh ubuntu@machine-1001.invalid",
  status: "Running",
  term: {
    costPerHour: 19.92,
    discountPercentage: null,
    effectiveAt: "2026-01-01T00:00:00.000Z",
    originalCostPerHour: null,
    reservationEndsAt: null,
    reservedUntil: null,
    termPeriodDays: null,
    termType: "on-demand",
  },
};

/** Properties that a program can read beside those that it has given. */
const properties = [...Object.keys(outputs), "expiresAtTime", "gpuType", "label", "region"];

let created = 0;
/** @type {Promise<void> | undefined} */
let asked;

function askOnce() {
  asked ??= ask();
  return asked;
}

async function ask() {
  // Here, because the program loads this file too.
  const { request } = require("undici");
  const { body } = await request(`${process.env.GPUFLEET_BASE_URL}/v2/openapi.json`);
  await body.dump();
}

/**
 * The handler, in the provider process.
 * @returns {import("@pulumi/pulumi").dynamic.ResourceProvider}
 */
function handler() {
  return {
    check: async (_olds, news) => ({ inputs: { ...defaults, ...news } }),
    diff: async () => ({ changes: false }),
    create: async (inputs) => {
      await askOnce();
      created += 1;
      return { id: String(created), outs: { ...inputs, ...outputs } };
    },
    read: async (id, props) => {
      await askOnce();
      return { id, props };
    },
    update: async (_id, _olds, news) => {
      await askOnce();
      return { outs: { ...news, ...outputs } };
    },
    delete: askOnce,
  };
}

class FloorRental extends pulumi.CustomResource {
  /**
   * @param {string} name
   * @param {object} args
   */
  constructor(name, args) {
    const blank = Object.fromEntries(properties.map((key) => [key, undefined]));
    const type = "pulumi-nodejs:dynamic/bench:FloorRental";
    const origin = pulumi.createUrn(name, type);
    const line = `exports.handler=()=>require(${JSON.stringify(__filename)}).handler()`;
    super(type, name, { ...blank, ...args, origin, __provider: line });
  }
}

module.exports = { FloorRental, handler };
