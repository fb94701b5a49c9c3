import { createEmulator, type Emulator } from "../../emulator";
import { createClient } from "../../provider/client";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";

const otherKey = "key-of-the-other-account";

/** One program, two services: their ids are the same, and nothing else of them is. */
describe("A program with two accounts on the real engine", () => {
  let emulated: EmulatedWorkspace;
  let other: Emulator;
  let otherUrl: string;

  const program = () => `
    const pulumi = require("@pulumi/pulumi");
    const g = require("pulumi-gpufleet");
    const rental = { networkType: "infiniband", gpuCount: 8 };
    const other = new g.Provider("other", {
      baseUrl: ${JSON.stringify(otherUrl)},
      apiKey: pulumi.output(${JSON.stringify(otherKey)}),
      namespace: "other",
      maxCostPerHour: 100,
    });
    const here = new g.BareMetalRental("here", rental);
    const there = new g.BareMetalRental("there", rental, { provider: other });
    class Team extends pulumi.ComponentResource {
      constructor(name, options) {
        super("test:index:Team", name, {}, options);
        this.fleet = new g.GpuFleet("fleet", { kind: "vm", count: 1, gpuType: "h100", gpuCount: 1, networkType: "ethernet", regions: ["us-central-1"] }, { parent: this });
        this.balance = g.getBalanceOutput({ parent: this, dependsOn: [there] });
      }
    }
    const team = new Team("team", { providers: [other], dependsOn: [there] });
    exports.ids = [here.id, there.id];
    exports.balances = [g.getBalanceOutput().usd, g.getBalanceOutput({ provider: other }).usd, team.balance.usd];
  `;

  beforeAll(async () => {
    other = createEmulator({ provisionSeconds: 0, endSeconds: 0, apiKey: otherKey, balance: 77 });
    ({ url: otherUrl } = await other.listen());
    emulated = await createEmulatedWorkspace({ program: "", env: { GPUFLEET_RECONCILE_SECONDS: "1" } });
    // The environment of the stack's own account, which must not be that of the other one.
    emulated.workspace.env["GPUFLEET_BASE_URL"] = emulated.url;
    emulated.workspace.writeProgram(program());
  });

  afterAll(async () => {
    await emulated.dispose();
    await other.close();
  });

  const billing = (emulator: Emulator) => emulator.state().filter((one) => one.billing);

  test("rents each machine where its provider says, for a child of a component, too", async () => {
    const up = await emulated.workspace.up();
    expect({ code: up.code, output: up.output }).toMatchObject({ code: 0 });
    expect(billing(emulated.emulator).map(({ kind }) => kind)).toEqual(["bare-metal"]);
    expect(
      billing(other)
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(["bare-metal", "virtual-machine"]);
    const outputs = await emulated.workspace.outputs();
    expect(outputs["ids"]).toEqual(["1001", "1001"]);
    expect(outputs["balances"]).toEqual([expect.any(Number), 77, 77]);
  });

  test("stores the key encrypted, and marks what the provider rents with its own namespace", async () => {
    const { stdout } = await emulated.workspace.pulumi("stack", "export");
    expect(stdout).not.toContain(otherKey);
    const marks = [...billing(emulated.emulator), ...billing(other)].map(({ label }) => label?.split("-").at(-3));
    expect(new Set(marks).size).toBe(2);
  });

  test("changes nothing when run again but what ended at the other account", async () => {
    const client = createClient({ baseUrl: otherUrl, apiKey: otherKey });
    const [lost] = billing(other).filter(({ kind }) => kind === "virtual-machine");
    await client.terminateRental({ rentalType: "virtual-machine", rentalId: Number(lost?.id) });
    const { code, summary } = await emulated.workspace.up("--refresh");
    // The gate of the fleet learns of its new member.
    expect({ code, ...summary }).toMatchObject({ code: 0, created: 1, updated: 1, replaced: 0, deleted: 0 });
    expect(billing(other)).toHaveLength(2);
    expect(billing(emulated.emulator)).toHaveLength(1);
  });

  test("is destroyed from the state alone, although both have a machine with the same id", async () => {
    const destroyed = await emulated.workspace.destroy();
    expect({ code: destroyed.code, output: destroyed.output }).toMatchObject({ code: 0 });
    expect([...billing(emulated.emulator), ...billing(other)]).toEqual([]);
  });
});
