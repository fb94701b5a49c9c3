import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { composeComment } from "../../../../cli/commands/comment/compose";
import { Stack } from "../../../../cli/stack";
import { createEmulator, type Emulator } from "../../../../emulator";
import { createClient } from "../../../../provider/client";
import { availableGpus } from "../../../../provider/service";
import { goldenFolder } from "../../../golden/makeGolden";

describe("With a key at hand, a comment", () => {
  let emulator: Emulator;
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    emulator = createEmulator({
      balance: 5000,
      ssh: false,
      provisionSeconds: 0,
      clock: { now: () => Date.UTC(2026, 0, 1) },
    });
    const { url } = await emulator.listen();
    environment = { GPUFLEET_BASE_URL: url, GPUFLEET_API_KEY: "emulator-key" };
    const client = createClient({ baseUrl: url, apiKey: "emulator-key" });
    await client.createBareMetalRental({ gpuCount: 8, networkType: "infiniband", gpuType: "h100" });
    await client.createBareMetalRental({
      gpuCount: 8,
      networkType: "infiniband",
      gpuType: "h200",
      region: "eu-west-3",
    });
    await client.createStorageVolume({ region: "us-central-1", label: "another", sizeInGb: 256 });
    await client.close();
  });

  afterAll(() => emulator.close());

  const commentOn = async (preview: object, format: "markdown" | "json" = "markdown") => {
    const folder = mkdtempSync(join(tmpdir(), "gpufleet-comment-"));
    try {
      const file = join(folder, "preview.json");
      writeFileSync(file, JSON.stringify(preview));
      return (await composeComment({ preview: file, format, cwd: "/" }, environment)).text;
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  const comment = async (scenario: string, from = environment) => {
    const preview = join(goldenFolder, scenario, "preview.json");
    return (await composeComment({ preview, format: "markdown", cwd: "/" }, from)).text;
  };

  test("knows prices from what else the account runs and from the marketplace, and says how long the balance lasts", async () => {
    const text = await comment("create");
    expect(text).toContain(
      "create 2 bare-metal rentals: `train-0` and `train-1` | 8×h100 in us-central-1 | each ≈ $19.92/h |",
    );
    expect(text).toContain("create marketplace instance `bargain` | 2×L40S in us-central-1 | ≈ $1.80/h |");
    expect(text).toContain("create storage volume `data` | 2048 GB in us-central-1 | ≈ $0.20/h |");
    expect(text).toContain("create virtual-machine rental `workbench` | 1×h100 in us-central-1 | price unknown |");
    // The account's 19.92 + 26.32 + 0.0256, and 68.216 that are new.
    expect(text).toContain(
      "**Balance** $5,000.00: lasts at most 43 h (1.8 days) at ≈ $114.48/h for the whole account after this change, plus unknown prices",
    );
  });

  test("puts no two marketplace instances on GPUs that only one can have", async () => {
    const type = "pulumi-nodejs:dynamic/gpufleet:MarketplaceInstance";
    const create = (name: string, inputs: object) => ({
      op: "create",
      urn: `urn:pulumi:dev::fleet::${type}::${name}`,
      newState: { type, custom: true, inputs: { gpuCount: 8, ...inputs }, outputs: {} },
    });
    const client = createClient({ baseUrl: environment["GPUFLEET_BASE_URL"] ?? "", apiKey: "emulator-key" });
    const { instances } = await client.listMarketplaceMachines({ filters: {} });
    await client.close();
    const free = instances
      .filter((machine) => machine.status === "node_ready" && availableGpus(machine) >= 8)
      .sort((one, other) => one.pricing.price.amount - other.pricing.price.amount);
    const [cheapest] = free;
    const named = { clusterName: cheapest?.cluster_name, nodeName: cheapest?.id };
    const costs = free.map(({ pricing }) => Math.round(pricing.price.amount * 800) / 100);
    const json = async (...steps: object[]) => JSON.parse(await commentOn({ steps }, "json"));
    const select = { select: {} };
    const both = await json(create("one", select), create("two", select));
    expect(both.cost.after.perHour).toBeCloseTo((costs[0] ?? 0) + (costs[1] ?? 0), 5);
    // Whoever names its machine has it, in whatever order they come.
    const mixed = await json(create("one", select), create("two", named));
    expect(mixed.cost.after.perHour).toBeCloseTo((costs[0] ?? 0) + (costs[1] ?? 0), 5);
    // What one on the same machine cost when it was rented is not what the marketplace asks now.
    const { newState } = create("runs", named);
    const runs = { ...newState, id: "1", outputs: { gpuCount: 8, ...named, costPerHour: 80 } };
    const urn = `urn:pulumi:dev::fleet::${type}::runs`;
    const beside = await json({ op: "same", urn, oldState: runs, newState: runs }, create("two", named));
    expect(beside.cost.after.perHour).toBeCloseTo(80 + (costs[0] ?? 0), 5);
    const tooMany = [...free, undefined].map((_, index) => create(`n-${index}`, select));
    expect((await json(...tooMany)).cost.after.unknown).toBe(1);
  });

  test("says how long the balance lasts where every price is known", async () => {
    expect(await comment("fleet-up")).toContain(
      "**Balance** $5,000.00: lasts 39 h (1.7 days) at ≈ $126.11/h for the whole account",
    );
  });

  test("is written without balance and prices where the key is refused, and does not show it", async () => {
    const warn = jest.spyOn(console, "error").mockImplementation(() => undefined);
    const text = await comment("create", { ...environment, GPUFLEET_API_KEY: "no-such-key" });
    expect(text).not.toContain("Balance");
    expect(warn.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^gpufleet comment: warning: the balance and the prices of the account are not available: /,
        ),
      ],
    ]);
    expect(`${text}${warn.mock.calls}`).not.toContain("no-such-key");
    warn.mockRestore();
  });

  test("uses no prices of this account for what an explicit provider rents elsewhere, and says so", async () => {
    const warn = jest.spyOn(console, "error").mockImplementation(() => undefined);
    const folder = mkdtempSync(join(tmpdir(), "gpufleet-accounts-"));
    try {
      const file = join(folder, "preview.json");
      const provider = "urn:pulumi:test::golden::pulumi:providers:pulumi-nodejs::partner::id";
      const preview = JSON.parse(readFileSync(join(goldenFolder, "create", "preview.json"), "utf8"));
      for (const step of preview.steps) if (step.urn.endsWith("::train-1")) step.newState.provider = provider;
      writeFileSync(file, JSON.stringify(preview));
      const { text } = await composeComment({ preview: file, format: "markdown", cwd: "/" }, environment);
      expect(text).toContain("create bare-metal rental `train-0` | 8×h100 in us-central-1 | ≈ $19.92/h |");
      expect(text).toContain("create bare-metal rental `train-1` | 8×h100 in us-central-1 | price unknown |");
      // 114.484 for everything, less the 19.92 that are paid elsewhere.
      expect(text).toMatch(/^\*\*Balance\*\* \$5,000\.00: lasts at most .* at ≈ \$94\.56\/h /m);
      expect(warn.mock.calls).toEqual([
        [
          'gpufleet comment: warning: the balance and the prices of provider "partner" are not available: its account is not in the state, or cannot be read',
        ],
      ]);
    } finally {
      rmSync(folder, { recursive: true });
      warn.mockRestore();
    }
  });

  test("goes by the settings of the stack, the environment before them", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gpufleet-settings-"));
    const settings: Record<string, string> = {
      baseUrl: "http://127.0.0.1:9",
      apiKey: "no-such-key",
      operations: JSON.stringify({ listVmRentals: { method: "GET", path: "/no/such/list" } }),
    };
    const warn = jest.spyOn(console, "error").mockImplementation(() => undefined);
    jest.spyOn(Stack.prototype, "readConfig").mockResolvedValue((key) => settings[key]);
    try {
      writeFileSync(join(folder, "Pulumi.yaml"), "name: golden\nruntime: nodejs\n");
      const preview = join(goldenFolder, "fleet-up", "preview.json");
      const written = () => composeComment({ preview, format: "markdown", cwd: folder }, environment);
      // What the service does not list is not nothing.
      expect((await written()).text).toMatch(/\*\*Balance\*\* \$5,000\.00: lasts at most 39 h .*, plus unknown prices/);
      expect(warn.mock.calls.flat()).toEqual([
        "gpufleet comment: warning: Not included, because it could not be read: virtual-machine rentals: GET /no/such/list answered 404: not found. Check listVmRentals in gpufleet:operations.",
      ]);
      // The files of a checkout do not choose where the key of the environment is sent.
      settings["v1BaseUrl"] = "http://127.0.0.1:9";
      expect((await written()).text).toContain("**Balance** $5,000.00");
      expect(warn.mock.calls.flat().join("\n")).toContain("gpufleet:v1BaseUrl is not used");
      settings["operations"] = "nonsense";
      expect((await written()).text).not.toContain("Balance");
      expect(warn.mock.calls.flat().at(-1)).toMatch(
        /the service cannot be asked: gpufleet:operations must be valid JSON/,
      );
    } finally {
      rmSync(folder, { recursive: true });
      jest.restoreAllMocks();
    }
  });

  test("never sends the key to an address that only the preview's file names", async () => {
    const before = emulator.requests().total;
    await comment("create", { GPUFLEET_API_KEY: "emulator-key" });
    expect(emulator.requests().total).toBe(before);
  });
});
