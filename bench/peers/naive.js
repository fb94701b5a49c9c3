/**
 * The provider that most people would write: a dynamic resource with a closure, `fetch`, one list call per poll and per
 * read, and the wait inside create.
 */
const pulumi = require("@pulumi/pulumi");

const baseUrl = process.env.GPUFLEET_BASE_URL;
const apiKey = process.env.GPUFLEET_API_KEY;

/** @typedef {{id: number, status: string}} Rental */

/** @type {import("@pulumi/pulumi").dynamic.ResourceProvider} */
const provider = {
  async create(inputs) {
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    const rentals = `${baseUrl}/v2/alpha/on-demand/bare-metal-rentals`;
    const response = await fetch(rentals, { method: "POST", headers, body: JSON.stringify(inputs.request) });
    if (!response.ok) throw new Error(`create answered ${response.status}`);
    const { id } = /** @type {Rental} */ (await response.json());
    for (;;) {
      const list = /** @type {Rental[]} */ (await (await fetch(rentals, { headers })).json());
      const rental = list.find((candidate) => candidate.id === id);
      if (rental?.status === "Running") return { id: String(id), outs: { ...inputs, ...rental } };
      if (rental?.status === "Failed") throw new Error(`rental ${id} failed`);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  },
  async read(id, props) {
    const headers = { authorization: `Bearer ${apiKey}` };
    const rentals = `${baseUrl}/v2/alpha/on-demand/bare-metal-rentals`;
    const list = /** @type {Rental[]} */ (await (await fetch(rentals, { headers })).json());
    const rental = list.find((candidate) => String(candidate.id) === id);
    return rental ? { id, props: { ...props, ...rental } } : {};
  },
  async diff(_id, olds, news) {
    const changes = JSON.stringify(olds.request) !== JSON.stringify(news.request);
    return { changes, replaces: changes ? ["request"] : [] };
  },
  async delete(id) {
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    const rentals = `${baseUrl}/v2/alpha/on-demand/bare-metal-rentals`;
    await fetch(`${rentals}/terminate`, { method: "POST", headers, body: JSON.stringify({ rentalId: Number(id) }) });
    for (;;) {
      const list = /** @type {Rental[]} */ (await (await fetch(rentals, { headers })).json());
      if (!list.some((candidate) => String(candidate.id) === id)) return;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  },
};

class NaiveRental extends pulumi.dynamic.Resource {
  /**
   * @param {string} name
   * @param {object} request
   */
  constructor(name, request) {
    super(provider, name, { request, status: undefined }, undefined, "bench", "NaiveRental");
  }
}

module.exports = { NaiveRental };
