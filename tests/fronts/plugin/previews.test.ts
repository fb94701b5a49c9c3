import { configuredRuntime } from "../../../provider/fronts";
import { ResourceCalls } from "../../../provider/fronts/plugin/resourceCalls";
import { type EngineLink, noEngine, originKey, previewKey, type Values } from "../../../provider/lifecycle";
import { handlers } from "../../../provider/resources";

const urn = "urn:pulumi:dev::rig::gpufleet:index:BareMetalRental::train";
const rental = { networkType: "infiniband", gpuCount: 8 };
/** What the classes of our own SDK add in a preview. */
const ofSdk = { [originKey]: `organization/${urn}`, [previewKey]: true };

/** The calls of a preview for something new. Returns what is said on rows, and what fails. */
async function preview(news: Values, settings: Record<string, string> = {}) {
  const said: string[] = [];
  const say = (row: string, text: string) => void said.push(row === urn ? text : `${row}: ${text}`);
  const config = { baseUrl: "http://127.0.0.1:9", apiKey: "key", prices: '{"h100": 2.49}', ...settings };
  const engine: EngineLink = { ...noEngine, info: say, warn: say };
  const runtime = configuredRuntime((key) => new Map(Object.entries(config)).get(key), { engine }, {});
  const calls = new ResourceCalls({
    handlers,
    runtime: () => runtime,
    secrets: () => [],
    organizationOf: async () => "organization",
    outputsOf: () => [],
  });
  const { inputs, failures } = await calls.check({ urn, olds: {}, news, randomSeed: new Uint8Array() });
  const broken = failures.map(({ reason }) => reason);
  if (broken.length > 0) return { said, broken };
  const creating = calls.create({ urn, properties: inputs, timeout: 0, preview: true });
  return {
    said,
    broken: await creating.then(
      () => [],
      (error: Error) => [error.message],
    ),
  };
}

describe.each([
  ["our own SDK", ofSdk],
  ["another language", {}],
])("A preview of a program with %s", (_, added) => {
  test("says once what a machine would cost", async () => {
    expect(await preview({ ...rental, ...added })).toEqual({ said: ["8×h100, ≈ $19.92/h"], broken: [] });
  });

  test("fails where a limit is broken, of the machine or of the stack", async () => {
    expect((await preview({ ...rental, ...added, maxCostPerHour: 10 })).broken).toEqual([
      expect.stringMatching(/^it would cost ≈ \$19\.92\/h, more than its maxCostPerHour of \$10\.00\/h\./),
    ]);
    expect((await preview({ ...rental, ...added }, { maxCostPerHour: "15" })).broken).toEqual([
      expect.stringMatching(/^what this program has would cost .*, more than gpufleet:maxCostPerHour of \$15\.00\/h\./),
    ]);
  });

  test("says once that the key is missing", async () => {
    const { said } = await preview({ ...rental, ...added }, { apiKey: "" });
    expect(
      said.filter((text) => text.includes("`pulumi up` would fail: no API key: set GPUFLEET_API_KEY")),
    ).toHaveLength(1);
  });
});
