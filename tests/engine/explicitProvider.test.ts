import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEmulator, type Emulator } from "../../emulator";
import { createClient } from "../../provider/client";
import { run as runProgram } from "../../tools/bootstrap/command";
import { root } from "../../tools/bootstrap/paths";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";

/** It goes down while machines run. */
const closeTo77 = expect.closeTo(77, -1);
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
    emulated = await createEmulatedWorkspace({
      program: "",
      emulator: { apiKeys: { "second-key": "emulator" } },
      env: { GPUFLEET_RECONCILE_SECONDS: "1" },
    });
    // The environment of the stack's own account, which must not be that of the other one.
    emulated.workspace.env["GPUFLEET_BASE_URL"] = emulated.url;
    emulated.workspace.writeProgram(program());
  });

  afterAll(async () => {
    await emulated.dispose();
    await other.close();
  });

  const run = (env: NodeJS.ProcessEnv, args: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
    runProgram(process.execPath, [join(root, "bin", "gpufleet"), ...args], {
      cwd: emulated.workspace.folder,
      env: { ...emulated.workspace.env, ...env },
      output: "capture",
    });
  const gpufleet = Object.assign((...args: string[]) => run({}, args), {
    with: (env: NodeJS.ProcessEnv, ...args: string[]) => run(env, args),
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
    expect(outputs["balances"]).toEqual([expect.any(Number), closeTo77, closeTo77]);
  });

  test("stores the key encrypted, and marks what the provider rents with its own namespace", async () => {
    const { stdout } = await emulated.workspace.pulumi("stack", "export");
    expect(stdout).not.toContain(otherKey);
    const marks = [...billing(emulated.emulator), ...billing(other)].map(({ label }) => label?.split("-").at(-3));
    expect(new Set(marks).size).toBe(2);
  });

  test("is seen as a whole by the commands, each account with its own key", async () => {
    const cost = JSON.parse((await gpufleet("cost", "--json")).stdout);
    expect(cost.stack.resources.map(({ name }: { name: string }) => name).sort()).toEqual(["fleet-0", "here", "there"]);
    expect(cost.elsewhere.resources).toEqual([]);
    expect(cost.accounts).toMatchObject([{ account: null }, { account: 'provider "other"', balance: closeTo77 }]);
    const doctor = await gpufleet("doctor", "--json");
    const checks = JSON.parse(doctor.stdout).findings.filter(({ status }: { status: string }) => status === "error");
    expect({ code: doctor.code, checks }).toEqual({ code: 0, checks: [] });
    expect(doctor.stdout).toContain('"account of the state, provider \\"other\\""');
    expect(await gpufleet("recover", "--dry-run")).toMatchObject({ code: 0, stdout: "Nothing to recover.\n" });
    expect(await gpufleet("expired", "--destroy")).toMatchObject({ code: 0, stdout: "Nothing has expired.\n" });
  });

  test("is commented on with the prices and the balance of each account", async () => {
    emulated.workspace.writeProgram(`${program()}\nnew g.BareMetalRental("more", rental, { provider: other });`);
    const preview = join(emulated.workspace.folder, "preview.json");
    writeFileSync(preview, (await emulated.workspace.succeed("preview", "--json", "--show-sames")).stdout);
    emulated.workspace.writeProgram(program());
    const { stdout, stderr } = await gpufleet("comment", "--preview", preview);
    expect(stderr).toBe("");
    expect(stdout).toContain("\n### ≈ +$19.92/h (+$14,542/month): 8 more h100 in us-central-1\n");
    expect(stdout).toMatch(
      /^- \*\*Balance\*\* \$[\d,.]+: lasts .* at \$19\.92\/h for the whole account after this change$/m,
    );
    expect(stdout).toMatch(
      /^- \*\*Balance\*\* of `provider "other"` \$7\d\.\d\d: lasts at most .* at ≈ \$39\.84\/h .*, plus unknown prices$/m,
    );
  });

  test("finds its orphans in the other account, and says what it leaves out where the key cannot be had", async () => {
    const label = billing(other).find(({ kind }) => kind === "bare-metal")?.label ?? "";
    const client = createClient({ baseUrl: otherUrl, apiKey: otherKey });
    const twin = label.replace(/.{6}$/, "aaaaaa");
    const lost = await client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, label: twin });
    const found = await gpufleet("orphans");
    expect(found.stdout).toContain("No orphans: everything that workspace/test created is in a state.");
    expect(found.stdout).toContain(
      'Orphans, created by workspace/test at provider "other" but in no state: 1, $19.92/h',
    );
    const deleted = await gpufleet("orphans", "--delete", String(lost.id), "--yes", "--grace-minutes", "0");
    expect(deleted).toMatchObject({ code: 0, stderr: "" });
    expect(billing(other)).toHaveLength(2);
    const locked = await gpufleet.with({ PULUMI_CONFIG_PASSPHRASE: "wrong" }, "cost");
    expect(locked.code).toBe(0);
    expect(locked.stdout).toMatch(
      /\nNot included, because the account of provider "other" could not be asked: .*BareMetalRental "there".*\. `pulumi stack export` failed: /,
    );
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

  test("counts what two keys of one account list once", async () => {
    const second = `new g.Provider("second", { baseUrl: "${emulated.url}", apiKey: pulumi.secret("second-key") })`;
    const volume = `new g.StorageVolume("data", { region: "us-central-1", sizeInGb: 1024 }, { provider: ${second} });`;
    emulated.workspace.writeProgram(`${program()}\n${volume}`);
    const { code, output } = await emulated.workspace.up();
    expect({ code, output }).toMatchObject({ code: 0 });
    const cost = JSON.parse((await gpufleet("cost", "--json")).stdout);
    expect(cost).toMatchObject({
      stack: { perHour: 39.9424 },
      elsewhere: { perHour: 0, resources: [] },
      accounts: [{ account: null }, { account: 'provider "other"' }],
    });
    const { stdout } = await gpufleet("ls", "--account", "--json");
    const names = JSON.parse(stdout).resources.map(({ owner, name }: Record<string, string>) => `${owner} ${name}`);
    expect(names.sort()).toEqual(["stack data", "stack fleet-0", "stack here", "stack there"]);
  });

  test("is destroyed from the state alone, although both have a machine with the same id", async () => {
    const destroyed = await emulated.workspace.destroy();
    expect({ code: destroyed.code, output: destroyed.output }).toMatchObject({ code: 0 });
    expect([...billing(emulated.emulator), ...billing(other)]).toEqual([]);
  });
});
