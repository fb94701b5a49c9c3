import { paths } from "../emulator/rig";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";

const program = (node: object, extra = "") => `
  const { BareMetalRental } = require("pulumi-gpufleet");
  new BareMetalRental("node", ${JSON.stringify({ networkType: "infiniband", gpuCount: 8, ...node })});
  ${extra}
`;
const urn = "urn:pulumi:test::workspace::pulumi-nodejs:dynamic/gpufleet:BareMetalRental::node";
const inline = { storageVolume: { isNew: true, label: "scratch", sizeInGb: 300 } };

describe("Replacements on the real engine", () => {
  let emulated: EmulatedWorkspace;

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({ program: program({}), emulator: { capacity: 16 } });
    await emulated.workspace.up();
  });

  afterAll(() => emulated.dispose());

  const billing = () => emulated.emulator.state().flatMap(({ billing: bills, id }) => (bills ? [id] : []));
  const posts = () => emulated.emulator.requests().counts[`POST ${paths.bareMetal}`];

  test.each([
    ["--replace", async () => ["--replace", urn]],
    [
      "a taint",
      async () => {
        await emulated.workspace.succeed("state", "taint", urn, "--yes");
        return [];
      },
    ],
  ])("forced by %s are made without a refresh, because the state knows the old machine", async (_, force) => {
    const [before, made] = [billing(), posts()];
    const replaced = await emulated.workspace.up(...(await force()));
    expect(posts()).toBe((made ?? 0) + 1);
    expect(replaced).toMatchObject({ code: 0, summary: { replaced: 1, unchanged: 1 } });
    expect(billing()).toHaveLength(1);
    expect(billing()).not.toEqual(before);
  });

  test("whose new machine would be over its limit are refused, and the old machine stays", async () => {
    const before = billing();
    emulated.workspace.writeProgram(program({ gpuCount: 16, maxCostPerHour: 20 }));
    const { code, output } = await emulated.workspace.up();
    expect(code).toBe(1);
    expect(output).toContain(
      'creating BareMetalRental "node": refused, nothing was created: it would cost $39.84/h, more than its maxCostPerHour of $20.00/h. Raise the limit or request less.',
    );
    expect(billing()).toEqual(before);
  });

  test("go to a fallback region where the region has no capacity, and stay there", async () => {
    emulated.workspace.writeProgram(program({ gpuCount: 16, fallbackRegions: ["eu-west-3"], expiresAt: "8h" }));
    expect(await emulated.workspace.up()).toMatchObject({ code: 0, summary: { replaced: 1 } });
    const { resources } = emulated.workspace.exportState().deployment;
    const { outputs } = resources.find((kept) => kept.urn === urn) ?? {};
    expect(outputs).toMatchObject({ region: "eu-west-3", costPerHour: 39.84 });
    const lifetime = Date.parse(String(outputs?.["expiresAtTime"])) - Date.parse(String(outputs?.["createdAt"]));
    expect(lifetime).toBe(8 * 3600_000);
    expect(await emulated.workspace.preview("--refresh", "--expect-no-changes")).toMatchObject({ code: 0 });
  });

  test("take a volume made along with the rental with them", async () => {
    emulated.workspace.writeProgram(program(inline));
    await emulated.workspace.up();
    expect(emulated.emulator.state().filter((made) => made.label === "scratch" && made.billing)).toHaveLength(1);
    emulated.workspace.writeProgram(program({ ...inline, gpuType: "h200" }));
    expect(await emulated.workspace.up()).toMatchObject({ code: 0, summary: { replaced: 1 } });
    expect(emulated.emulator.state().filter((made) => made.label === "scratch")).toMatchObject([
      { billing: false },
      { billing: true },
    ]);
  });

  test("end the rental and not its volume where keepVolume is set, and say what stays and what it costs", async () => {
    emulated.workspace.writeProgram(program({ ...inline, gpuType: "h200", keepVolume: true }));
    expect(await emulated.workspace.up()).toMatchObject({ code: 0, summary: { updated: 1 } });
    const { code, output } = await emulated.workspace.destroy();
    expect(code).toBe(0);
    expect(output).toMatch(/keepVolume: storage volume \d+ \(300 GB\) is kept and costs \$0\.\d+\/h/);
    const left = emulated.emulator.state().filter((made) => made.billing);
    expect(left).toMatchObject([{ kind: "storage-volume", label: "scratch" }]);
  });
});
