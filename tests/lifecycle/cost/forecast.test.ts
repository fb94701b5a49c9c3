import { configuredRuntime, hosted } from "../../../provider/fronts";
import { noEngine, originKey, previewKey, type Runtime, type Values } from "../../../provider/lifecycle";
import { readPrices } from "../../../provider/shared/prices";
import { getHandler } from "../fakeEngine";
import { createRig, type ProviderProcess, type RigOptions } from "../rig";

const urnOf = (type: string, name: string) =>
  `urn:pulumi:test::rig::gpufleet:index:GpuFleet$pulumi-nodejs:dynamic/gpufleet:${type}::${name}`;
const prices = readPrices('{"h100": 2.49, "storage": 0.0001}');

interface Previewed {
  name: string;
  type: string;
  inputs: Values;
  /** What the state has of it, as outputs; nothing of what is new. */
  state?: Values;
}

/** The calls of a preview for what is new, replaced or unchanged, in this order. Returns what fails, by name. */
function preview(provider: Runtime, ...program: Previewed[]): Record<string, string[]> {
  const failed = program.map(({ name, type, inputs, state }, index) => {
    const handler = getHandler(type);
    const news = { ...inputs, [originKey]: `organization/${urnOf(type, name)}`, [previewKey]: true };
    if (state) {
      const kept = handler.check(provider, inputs, news);
      const compared = compare(() => handler.diff(provider, String(index), state, kept.inputs).replaces.length === 0);
      if (compared !== false) return [name, compared === true ? [] : [compared]] as const;
    }
    const { inputs: checked, failures } = handler.check(provider, {}, news);
    expect(checked).not.toHaveProperty(previewKey);
    return [name, failures.map(({ reason }) => reason)] as const;
  });
  return Object.fromEntries(failed.filter(([, reasons]) => reasons.length > 0));
}

/** What is compared, or why that fails. */
function compare(isSame: () => boolean): boolean | string {
  try {
    return isSame();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const node = (name: string, more: Values = {}): Previewed => ({
  name,
  type: "BareMetalRental",
  inputs: { networkType: "infiniband", gpuCount: 8, ...more },
});
/** What the state has of a rental with these inputs. */
const running: Values = {
  gpuType: "h100",
  gpuCount: 8,
  networkType: "infiniband",
  region: "us-central-1",
  termType: "on-demand",
  convertToOnDemandOnExpiry: true,
  discountPercentage: 0,
  waitForReady: true,
  waitForSsh: false,
  keepVolume: false,
  costPerHour: 20,
};
const member = (index: number, count: number, more: Values = {}) =>
  node(`train-${index}`, { __fleet: { count, regions: ["us-central-1"] }, waitForReady: false, ...more });
const gate = (more: Values = {}): Previewed => ({
  name: "train-ready",
  type: "FleetReady",
  inputs: { kind: "bare-metal", rentals: [], ...more },
});

function begin(options: RigOptions = {}): ProviderProcess {
  return createRig(options).startProvider();
}

const told = ({ shown }: ProviderProcess) => shown.map(({ text }) => text);

describe("A preview", () => {
  test("says of everything that is rented what it is and what it costs by the book", () => {
    const provider = begin({ settings: { prices } });
    const volume = { isNew: true, label: "scratch", sizeInGb: 256 };
    preview(
      provider,
      node("one"),
      node("two", { storageVolume: volume }),
      node("three", { gpuType: "b200", storageVolume: volume }),
      { name: "data", type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 1024 } },
      { name: "vm", type: "VmRental", inputs: { gpuCount: 1, gpuType: "h200" } },
      { name: "bargain", type: "MarketplaceInstance", inputs: { gpuCount: 2, select: { maxPricePerHour: 3 } } },
      { name: "any", type: "MarketplaceInstance", inputs: { gpuCount: 1, select: { gpuModel: "A100" } } },
      node("adopted", { adoptId: "1001" }),
    );
    expect(told(provider)).toEqual([
      "8×h100, ≈ $19.92/h",
      "8×h100, ≈ $19.92/h; 256 GB, ≈ $0.0256/h",
      "8×b200, price unknown; 256 GB, ≈ $0.0256/h",
      "1,024 GB, ≈ $0.10/h",
      "1×h200, price unknown",
      "2×GPU, at most $3.00/h",
      "1×A100, price unknown",
    ]);
  });

  test("knows the price of what the state has, also for others of its kind", () => {
    const provider = begin();
    preview(
      provider,
      { ...node("runs"), state: running },
      { ...node("grows", { gpuCount: 16 }), state: running },
      node("new"),
      node("elsewhere", { region: "eu-west-3" }),
    );
    expect(told(provider)).toEqual(["16×h100, ≈ $40.00/h", "8×h100, ≈ $20.00/h", "8×h100, price unknown"]);
  });

  test("tells the same in whatever order the engine asks: once a price is known, and where a limit is broken by it", () => {
    const program = [{ ...node("runs"), state: running }, { ...node("runs-too"), state: running }, node("new")];
    const orders = [
      [0, 1, 2],
      [0, 2, 1],
      [2, 0, 1],
    ];
    for (const order of orders) {
      const provider = begin({ settings: { maxCostPerHour: 45, maxCostPerHourName: "gpufleet:maxCostPerHour" } });
      const failed = preview(provider, ...order.flatMap((index) => program[index] ?? []));
      expect(Object.values(failed).flat()).toEqual([expect.stringContaining("would cost ≈ $60.00/h, more than")]);
      expect(told(provider).at(-1)).toBe("8×h100, ≈ $20.00/h");
    }
    const own = begin();
    const dear = node("new", { maxCostPerHour: 15 });
    expect(preview(own, dear, { ...node("runs"), state: running })["runs"]?.[0]).toMatch(
      /^new: it would cost ≈ \$20\.00\/h, more than its maxCostPerHour of \$15\.00\/h\./,
    );
  });

  test("speaks of a fleet once, on its own row", () => {
    const provider = begin({ settings: { prices } });
    preview(provider, member(0, 3), member(1, 3), member(2, 3), gate());
    expect(provider.shown).toEqual([
      { kind: "info", urn: "urn:pulumi:test::rig::gpufleet:index:GpuFleet::train", text: "3 × 8×h100, ≈ $59.76/h" },
    ]);
    const unpriced = begin();
    preview(unpriced, member(0, 2), member(1, 2), gate());
    expect(told(unpriced)).toEqual(["2 × 8×h100, price unknown"]);
  });

  test("says nothing where it is no preview", () => {
    const provider = begin({ settings: { prices, maxCostPerHour: 1 } });
    const { inputs } = node("one");
    const news = { ...inputs, [originKey]: `organization/${urnOf("BareMetalRental", "one")}` };
    expect(getHandler("BareMetalRental").check(provider, {}, news).failures).toEqual([]);
    expect(provider.shown).toEqual([]);
  });

  test("asks nobody", () => {
    const rig = createRig({ settings: { prices } });
    preview(rig.startProvider(), node("one"), member(0, 1), gate());
    expect(rig.emulator.requests().counts).toEqual({});
  });
});

describe("A limit that is known to break", () => {
  test("of a resource fails the preview", () => {
    const provider = begin({ settings: { prices } });
    expect(preview(provider, node("one", { maxCostPerHour: 10 }), node("two", { maxCostPerHour: 19.92 }))).toEqual({
      one: ["it would cost ≈ $19.92/h, more than its maxCostPerHour of $10.00/h. Raise the limit or request less."],
    });
  });

  test("of a fleet fails at its gate, once", () => {
    const provider = begin({ settings: { prices } });
    expect(preview(provider, member(0, 3), member(1, 3), member(2, 3), gate({ maxCostPerHour: 50 }))).toEqual({
      "train-ready": [
        "the fleet of 3 would cost ≈ $59.76/h, more than its maxCostPerHour of $50.00/h. Most of it: train-0 $19.92/h, train-1 $19.92/h, train-2 $19.92/h. Raise the limit or request less.",
      ],
    });
  });

  test("of the stack fails once, and names the largest and what is not in the sum", () => {
    const provider = begin({ settings: { prices, maxCostPerHour: 50 } });
    const vm = { name: "vm", type: "VmRental", inputs: { gpuCount: 1, gpuType: "h200" } };
    const program = [vm, node("one"), member(0, 2), member(1, 2), gate(), node("two")];
    expect(preview(provider, ...program)).toEqual({
      "train-ready": [
        "what this program has would cost ≈ $59.76/h without 1 of unknown price, more than gpufleet:maxCostPerHour of $50.00/h. Most of it: train $39.84/h, one $19.92/h. Raise the limit or request less.",
      ],
    });
  });

  test("is no obstacle where nothing is to be rented", () => {
    const provider = begin({ settings: { prices, maxCostPerHour: 10 } });
    const state = { ...node("runs").inputs, gpuType: "h100", region: "us-central-1", costPerHour: 20 };
    expect(preview(provider, { ...node("runs"), state })).toEqual({});
  });

  test("of an explicit provider is called by that provider's name", () => {
    const settings: Record<string, string> = {
      provider: "urn:pulumi:test::rig::pulumi:providers:pulumi-nodejs::lab",
      prices: '{"h100": 2.49}',
      maxCostPerHour: "10",
    };
    const runtime = configuredRuntime((key) => settings[key], { engine: noEngine }, {});
    expect(preview(runtime, node("one"))).toEqual({
      one: [
        'what this program has would cost ≈ $19.92/h, more than maxCostPerHour of Provider "lab" of $10.00/h. Most of it: one $19.92/h. Raise the limit or request less.',
      ],
    });
  });
});

describe("What the configuration lacks", () => {
  /** What a preview of two resources warns of. */
  async function warned(environment: NodeJS.ProcessEnv, settings: Record<string, string> = {}) {
    const warnings: [string, string][] = [];
    const engine = { ...noEngine, warn: (urn: string, text: string) => warnings.push([urn, text]) };
    const runtime = configuredRuntime((key) => settings[key], { engine }, environment);
    const host = hosted(getHandler("BareMetalRental"), () => ({ runtime, secrets: () => [] }));
    for (const name of ["one", "two"]) {
      await host.check(
        {},
        { ...node(name).inputs, [originKey]: `o/${urnOf("BareMetalRental", name)}`, [previewKey]: true },
      );
    }
    return warnings;
  }

  test("is a warning, once in a preview and on no resource's row", async () => {
    expect(await warned({})).toEqual([
      [
        "",
        "`pulumi up` would fail: no base URL: set GPUFLEET_BASE_URL, or run `pulumi config set gpufleet:baseUrl https://…`. To try it without an account, run `gpufleet emulator`",
      ],
    ]);
    expect(await warned({ GPUFLEET_BASE_URL: "https://gpu.example" })).toEqual([
      [
        "",
        "`pulumi up` would fail: no API key: set GPUFLEET_API_KEY, or run `pulumi config set --secret gpufleet:apiKey`",
      ],
    ]);
    expect(await warned({ GPUFLEET_BASE_URL: "https://gpu.example", GPUFLEET_API_KEY: "key" })).toEqual([]);
  });

  test("of an explicit provider names that one", async () => {
    const provider = "urn:pulumi:test::rig::pulumi:providers:pulumi-nodejs::lab";
    const environment = { GPUFLEET_BASE_URL: "https://gpu.example", GPUFLEET_API_KEY: "key" };
    expect(await warned(environment, { provider, baseUrl: "https://lab.example" })).toEqual([
      [
        "",
        '`pulumi up` would fail: no API key: give apiKey to Provider "lab", or set GPUFLEET_API_KEY together with GPUFLEET_BASE_URL',
      ],
    ]);
  });
});
