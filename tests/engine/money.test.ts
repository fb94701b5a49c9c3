import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";

const program = (expiresAt: string, count = 2, gpuCount = 8) => `
  const { BareMetalRental, GpuFleet } = require("pulumi-gpufleet");
  const fleet = new GpuFleet("train", {
    kind: "bare-metal", count: ${count}, regions: ["us-central-1"], networkType: "infiniband", gpuCount: 8,
    expiresAt: "${expiresAt}", sharedVolume: { sizeInGb: 256 },
  });
  new BareMetalRental("one", { networkType: "infiniband", gpuCount: ${gpuCount}, expiresAt: "4h" });
  exports.costPerHour = fleet.costPerHour;
  exports.statuses = fleet.members.apply((members) => members.map(({ status }) => status));
`;

const limited = `
  const { BareMetalRental, Provider } = require("pulumi-gpufleet");
  const prices = { h100: 2.49 };
  const provider = new Provider("lab", { baseUrl: "http://127.0.0.1:9", apiKey: "lab-key", prices, maxCostPerHour: 10 });
  new BareMetalRental("there", { networkType: "infiniband", gpuCount: 8 }, { provider });
`;

/** Previews and expiry on one stack, in the order in which people come by them. */
describe("Money on the real engine", () => {
  let emulated: EmulatedWorkspace;

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({
      program: program("1h"),
      refresh: "always",
      // Ages and expiry go by the service's clock, not by ours.
      emulator: { clockSkewSeconds: -8 * 3600 },
      config: { "gpufleet:prices": '{"h100": 2.49}' },
    });
  });

  afterAll(() => emulated.dispose());

  const billing = () => emulated.emulator.state().filter((one) => one.billing);
  const requests = () => Object.keys(emulated.emulator.requests().counts);
  /** What stays on a terminal after the rows. */
  const diagnosticsIn = (output: string) => output.slice(output.indexOf("Diagnostics:")).replace(/ +/g, " ");

  test("a preview says what would be rented and what it costs, a fleet once, and warns of a missing key", async () => {
    const { GPUFLEET_API_KEY: key } = emulated.workspace.env;
    delete emulated.workspace.env["GPUFLEET_API_KEY"];
    const { code, output } = await emulated.workspace.preview();
    emulated.workspace.env["GPUFLEET_API_KEY"] = key;
    expect(code).toBe(0);
    const said = diagnosticsIn(output);
    expect(said).toContain("gpufleet:index:GpuFleet (train):\n 2 × 8×h100, ≈ $39.84/h\n");
    expect(said).toContain("gpufleet:BareMetalRental (one):\n 8×h100, ≈ $19.92/h\n");
    expect(said).toContain("gpufleet:StorageVolume (train-volume):\n 256 GB, price unknown\n");
    expect(said).not.toContain("(train-0)");
    expect(said.split("no API key: set GPUFLEET_API_KEY")).toHaveLength(2);
    expect(requests()).toEqual([]);
  });

  test("a limit that is known to break fails the preview, of the stack and of a provider", async () => {
    emulated.workspace.writeProgram(limited);
    const { code, output } = await emulated.workspace.preview();
    expect(code).not.toBe(0);
    expect(diagnosticsIn(output)).toContain(
      'what this program has would cost ≈ $19.92/h, more than maxCostPerHour of Provider "lab" of $10.00/h.',
    );
    await emulated.workspace.setConfig({ "gpufleet:maxCostPerHour": "50" });
    emulated.workspace.writeProgram(program("1h"));
    const stack = await emulated.workspace.preview();
    expect(stack.code).not.toBe(0);
    expect(diagnosticsIn(stack.output)).toContain(
      "more than gpufleet:maxCostPerHour of $50.00/h. Most of it: train $39.84/h, one $19.92/h. Raise the limit or request less.",
    );
    expect(requests()).toEqual([]);
    await emulated.workspace.removeConfig("gpufleet:maxCostPerHour");
  });

  test("what has expired is ended, and not rented again until expiresAt changes", async () => {
    const { workspace } = emulated;
    workspace.writeProgram(program("1s"));
    expect((await workspace.up()).code).toBe(0);
    expect(billing()).toHaveLength(4);
    expect(typeof (await workspace.outputs())["costPerHour"]).toBe("number");
    const { resources } = workspace.exportState().deployment;
    const machines = resources
      .filter(({ urn }) => /::(train-\d|one)$/.test(urn))
      .flatMap(({ urn }) => ["--target", urn]);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    workspace.env["GPUFLEET_END_EXPIRED"] = "1";
    expect((await workspace.refresh(...machines)).code).toBe(0);
    delete workspace.env["GPUFLEET_END_EXPIRED"];
    // The one whose time has not come stays, although our clock is past it.
    expect(billing().map(({ kind }) => kind)).toEqual(["bare-metal", "storage-volume"]);

    const plain = await workspace.up("--refresh=false");
    expect({ code: plain.code, ...plain.summary }).toMatchObject({ code: 0, updated: 1, created: 0, replaced: 0 });
    expect(await workspace.outputs()).toMatchObject({
      costPerHour: expect.closeTo(0, 0),
      statuses: ["Expired", "Expired"],
    });

    // The fleet grows, the others stay as they are, and its gate waits for the new one alone.
    const grown = await workspace.up();
    expect({ code: grown.code, ...grown.summary }).toMatchObject({ code: 0, created: 0, updated: 0, replaced: 0 });
    expect(grown.output).not.toContain("differs from the program");
    expect(diagnosticsIn(grown.output)).toMatch(
      /GpuFleet \(train\):\n 2 members have ended, expired at .* UTC\. They are not rented again until expiresAt changes\n/,
    );
    workspace.writeProgram(program("1s", 3));
    const more = await workspace.up();
    expect({ code: more.code, ...more.summary }).toMatchObject({ code: 0, created: 1, replaced: 0, deleted: 0 });
    expect(billing()).toHaveLength(3);

    workspace.writeProgram(program("1h", 3));
    const again = await workspace.up();
    expect({ code: again.code, ...again.summary }).toMatchObject({ code: 0, replaced: 2, deleted: 0 });
    expect(billing()).toHaveLength(5);
    expect((await workspace.destroy()).code).toBe(0);
    expect(billing()).toEqual([]);
  });
});
