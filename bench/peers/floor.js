/**
 * The floor: a dynamic resource with the inputs and outputs of a BareMetalRental, defaults included, whose handler does
 * nothing at all. What it takes is what the engine and its dynamic-provider host take. Like ours, it registers a constant
 * line instead of a closure.
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
  waitForReady: true,
  waitForSsh: false,
};

const outputs = {
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

let made = 0;

/**
 * The handler, in the provider process.
 * @returns {import("@pulumi/pulumi").dynamic.ResourceProvider}
 */
function handler() {
  return {
    check: async (_olds, news) => ({ inputs: { ...defaults, ...news } }),
    diff: async () => ({ changes: false }),
    create: async (inputs) => {
      made += 1;
      return { id: String(made), outs: { ...inputs, ...outputs } };
    },
    read: async (id, props) => ({ id, props }),
    update: async (_id, _olds, news) => ({ outs: { ...news, ...outputs } }),
    delete: async () => {},
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
