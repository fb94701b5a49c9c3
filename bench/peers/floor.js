/**
 * The floor: a dynamic resource with the inputs and outputs of a rental whose handler does nothing at all. What it takes is
 * what the engine and its dynamic-provider host take. Like ours, it registers a constant line instead of a closure.
 */
const pulumi = require("@pulumi/pulumi");

const outputs = {
  status: "Running",
  label: "floor",
  region: "us-central-1",
  costPerHour: 19.92,
  createdAt: "2026-01-01T00:00:00.000Z",
  ssh: [{ host: "127.0.0.1", port: 22, user: "ubuntu" }],
  sshCommand: "ssh ubuntu@127.0.0.1",
  gpuFormFactor: "sxm5",
  nodes: [{ cpuModel: "none", gpuCount: 8, ramGb: 2048, storageGb: 30720, cpuCount: 128 }],
  term: {
    termType: "on-demand",
    effectiveAt: "2026-01-01T00:00:00.000Z",
    costPerHour: 19.92,
    reservedUntil: null,
    reservationEndsAt: null,
    termPeriodDays: null,
    discountPercentage: null,
    originalCostPerHour: null,
  },
  attachedStorage: [],
};

let made = 0;

/**
 * The handler, in the provider process.
 * @returns {import("@pulumi/pulumi").dynamic.ResourceProvider}
 */
function handler() {
  return {
    check: async (_olds, news) => ({ inputs: news }),
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
    const blank = Object.fromEntries(Object.keys(outputs).map((key) => [key, undefined]));
    const line = `exports.handler=()=>require(${JSON.stringify(__filename)}).handler()`;
    super("pulumi-nodejs:dynamic/bench:FloorRental", name, { ...blank, ...args, __provider: line });
  }
}

module.exports = { FloorRental, handler };
