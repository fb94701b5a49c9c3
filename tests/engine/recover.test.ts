import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "../../provider/client";
import { root } from "../../tools/bootstrap/paths";
import { endProcesses, type RunningPulumi, waitUntil } from "../../tools/workspace";
import { paths } from "../emulator/rig";
import { createEmulatedWorkspace, type EmulatedWorkspace, hangInList } from "./emulatedWorkspace";
import { runGpufleet } from "./runCommand";

/** Longer than any test: what is being made is made when the test moves the emulator's clock. */
const provisionSeconds = 3600;

const bareMetalPath = "/v2/alpha/on-demand/bare-metal-rentals";

const program = (...resources: string[]) => `
  const pulumi = require("@pulumi/pulumi");
  const { BareMetalRental, MarketplaceInstance, StorageVolume, VmRental } = require("pulumi-gpufleet");
  ${resources.join("\n")}
`;
const volume = `const data = new StorageVolume("data", { region: "us-central-1", sizeInGb: 512 });`;
const rental = (gpuCount: number) => `
  const train = new BareMetalRental("train", { gpuCount: ${gpuCount}, networkType: "ethernet", cudaVersion: "cuda12.8" });
  exports.ssh = train.sshCommand;
`;
const double = `new BareMetalRental("double", { gpuCount: 8, networkType: "ethernet", waitForReady: false });`;
const dependent = `new VmRental("head", { gpuCount: 1, waitForReady: false }, { dependsOn: train });`;
/** Nothing proves whose these are: one has no label, the other one of the user's choice. */
const unproven = (gpuCount: number) => `
  new MarketplaceInstance("cheap", { select: { gpuModel: "A100" }, gpuCount: 1 });
  new BareMetalRental("named", { gpuCount: ${gpuCount}, networkType: "ethernet", label: "mine" });
`;
const stuck = `
  const create = async () => {
    require("node:fs").writeFileSync("stuck-is-being-made", "");
    await new Promise((resolve) => setTimeout(resolve, 600_000));
  };
  new pulumi.dynamic.Resource({ create }, "stuck", {});
`;

interface Answer {
  code: number;
  stdout: string;
  stderr: string;
}

describe("gpufleet recover", () => {
  let rig: EmulatedWorkspace;

  beforeAll(async () => {
    rig = await createEmulatedWorkspace({
      program: program(volume, rental(8)),
      emulator: { provisionSeconds },
      env: { GPUFLEET_RECONCILE_SECONDS: "2" },
    });
  });

  afterAll(() => rig.dispose());

  const recover = (...flags: string[]): Promise<Answer> => recoverWith({}, ...flags);

  function recoverWith(settings: NodeJS.ProcessEnv, ...flags: string[]): Promise<Answer> {
    const { folder } = rig.workspace;
    const env = { ...rig.workspace.env, ...settings };
    return new Promise((resolve) => {
      const command = join(root, "bin", "gpufleet");
      execFile(process.execPath, [command, "recover", ...flags], { env, cwd: folder }, (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === "number" ? error.code : error ? -1 : 0, stdout, stderr });
      });
    });
  }

  const made = (kind: string) => rig.emulator.state().filter((object) => object.kind === kind && object.billing);
  const labelOf = (kind: string) => made(kind).at(-1)?.label ?? "";
  const passTime = () => rig.emulator.clock.advance(provisionSeconds);

  /** Starts an update and waits until it is in the middle of its creates. */
  async function startUp(what: string, isReached: () => boolean): Promise<RunningPulumi> {
    const run = rig.workspace.start("up", "--yes", "--skip-preview");
    const ended = run.finished.then(({ output }) => Promise.reject(new Error(`it ended before ${what}:\n${output}`)));
    await Promise.race([waitUntil(what, isReached), ended]);
    ended.catch(() => undefined);
    return run;
  }

  const entriesOf = async (urnEnd: string) =>
    rig.workspace.exportState().deployment.resources.filter(({ urn }) => urn.endsWith(urnEnd));

  test("refuses while an update is in progress, and changes nothing", async () => {
    const run = await startUp(
      "rental and volume are requested",
      () => made("bare-metal").length === 1 && made("storage-volume").length === 1,
    );
    const answer = await recover();
    expect(answer).toMatchObject({ code: 1, stdout: "" });
    expect(answer.stderr).toMatch(
      new RegExp(
        `^gpufleet: refused, and nothing was changed: an update is in progress: \\S+@\\S+ \\(pid ${run.pid}\\) since \\S+\\.\\n$`,
      ),
    );
    const { emulator, workspace } = rig;
    await hangInList(emulator, bareMetalPath);
    await run.kill();
    await waitUntil("no provider is left", () => workspace.providers().length === 0, 25);
    emulator.faults.clear();
    expect(workspace.exportState().deployment.pending_operations).toHaveLength(2);
  });

  test("has `up` refused after a kill, with the machine named, until it has run", async () => {
    // The lock of the killed run is in the way of `up`; this is what its own message asks for.
    await rig.workspace.unlock();
    const run = await rig.workspace.up();
    expect(run.code).not.toBe(0);
    expect(run.output).toContain(`bare-metal rental ${made("bare-metal")[0]?.id} "${labelOf("bare-metal")}"`);
    expect(run.output).toContain("`gpufleet recover` adds it to the state");
  });

  test("refuses to look anywhere else than where the killed run has sent its creates, and changes nothing", async () => {
    const before = rig.workspace.exportState();
    const elsewhere = "http://127.0.0.1:9";
    const answer = await recoverWith({ GPUFLEET_BASE_URL: elsewhere });
    expect(answer).toMatchObject({ code: 1, stdout: "" });
    expect(answer.stderr).toContain(
      `and 1 more: it is at ${rig.url}, but the configuration says ${elsewhere}, so nothing was read, changed or terminated.`,
    );
    expect(rig.workspace.exportState()).toEqual(before);
  });

  test("shows with --dry-run what it would do, and changes nothing", async () => {
    passTime();
    const before = rig.workspace.exportState();
    const answer = await recover("--dry-run");
    expect(answer).toMatchObject({ code: 0, stderr: "" });
    const lines = answer.stdout.trim().split("\n");
    expect(lines).toHaveLength(3);
    expect(lines).toContainEqual(
      expect.stringMatching(/^StorageVolume "data": storage volume \d+ "data-.*is added to the state\.$/),
    );
    expect(lines.at(-1)).toBe("Dry run: nothing was changed.");
    expect(rig.workspace.exportState()).toEqual(before);
  });

  test("brings what was made into the state: `up` finds everything unchanged, one machine each", async () => {
    const before = rig.workspace.exportState();
    const answer = await recover();
    expect(answer).toMatchObject({ code: 0, stderr: "" });
    expect(answer.stdout).toMatch(
      /^BareMetalRental "train": bare-metal rental \d+ "train-\S+" \(Running, 8×h100 in us-central-1, \$19\.92\/h, for \S+\) is added to the state\.$/m,
    );
    const copy = /^Copy of the previous state: (.*)$/m.exec(answer.stdout)?.[1] ?? "";
    expect(JSON.parse(readFileSync(copy, "utf8"))).toMatchObject({
      deployment: { pending_operations: before.deployment.pending_operations.map(({ type }) => ({ type })) },
    });
    expect(await rig.workspace.up("--refresh")).toMatchObject({
      code: 0,
      summary: { unchanged: 3, created: 0, updated: 0 },
    });
    expect(made("bare-metal")).toHaveLength(1);
    expect(made("storage-volume")).toHaveLength(1);
    expect((await rig.workspace.outputs())["ssh"]).toMatch(/^ssh /);
  });

  test("says so where there is nothing to recover", async () => {
    const copies = readdirSync(join(rig.workspace.folder, ".gpufleet", "recover"));
    expect(await recover()).toEqual({ code: 0, stdout: "Nothing to recover.\n", stderr: "" });
    expect(readdirSync(join(rig.workspace.folder, ".gpufleet", "recover"))).toEqual(copies);
  });

  test("offers no twin, which a proxy has made; the command that ends it alone works as it is printed", async () => {
    const { url, workspace } = rig;
    const [train] = made("bare-metal");
    workspace.writeProgram(program(volume, rental(8), double));
    await workspace.up();
    const held = made("bare-metal").at(-1);
    const client = createClient({ baseUrl: url, apiKey: "emulator-key" });
    const twin = await client.createBareMetalRental({
      gpuCount: 8,
      networkType: "ethernet",
      label: labelOf("bare-metal"),
      storageVolume: { isNew: true, label: "scratch", sizeInGb: 512 },
    });
    await client.close();
    passTime();
    const named = await recover("--stack", "test");
    expect(named).toMatchObject({ code: 0, stderr: "" });
    const [, command = ""] =
      /^bare-metal rental \d+ .* was created by the same request as \d+, which is in the state, and bills, too\. `pulumi destroy` terminates both\. To terminate \d+ alone: `gpufleet (.*)`\.\n$/.exec(
        named.stdout,
      ) ?? [];
    expect(command).toBe(`orphans --stack test --delete ${twin.id} --yes`);
    const refused = await recover("--adopt", String(twin.id), "--urn", (await entriesOf("::double"))[0]?.urn ?? "");
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(
      new RegExp(
        `with ${twin.id} in its place, the next \`pulumi up\` terminates bare-metal rental ${held?.id} .*\\$19\\.92/h`,
      ),
    );
    expect((await runGpufleet(workspace, ...command.split(" "))).stdout).toMatch(
      new RegExp(
        `\nDeleted bare-metal rental ${twin.id}\\.\nStorage volume \\d+ "scratch" \\(512 GB, \\$0\\.0512/h\\) was attached to ${twin.id}\\. It is in no state, and keeps billing\\. `,
      ),
    );
    expect(made("bare-metal")).toMatchObject([{ id: train?.id }, { id: held?.id }]);
    workspace.writeProgram(program(volume, rental(8)));
    await workspace.up();
    expect(made("bare-metal")).toEqual([train]);
  });

  test("does not say so where it could not look", async () => {
    rig.emulator.faults.add({ match: { method: "GET", path: paths.vm }, times: 99, kind: "garbage" });
    expect(await recover()).toEqual({
      code: 1,
      stdout: expect.stringMatching(
        /^The list of virtual-machine rentals could not be read: some may have been created by this stack and be missing from its state\. .*\n$/,
      ),
      stderr: "",
    });
    rig.emulator.faults.clear();
  });

  test("makes no stack that is not there, and works on the one that a URN names", async () => {
    const ofUrn = ["--nothing-made", "--urn", "urn:pulumi:mistyped::workspace::some:type::train"];
    for (const flags of [["--stack", "mistyped"], ofUrn]) {
      expect(await recover(...flags)).toEqual({
        code: 1,
        stdout: "",
        stderr: "gpufleet: `pulumi stack export` failed: no stack named 'mistyped' found\n",
      });
    }
    expect((await rig.workspace.succeed("stack", "ls")).stdout).not.toContain("mistyped");
  });

  test("recovers from a kill inside a replacement, lock and all: the next `up` deletes the old one", async () => {
    const [old] = made("bare-metal");
    rig.workspace.writeProgram(program(volume, rental(16), dependent));
    const run = await startUp("the new rental is requested", () => made("bare-metal").length === 2);
    await run.kill();
    passTime();
    const answer = await recover();
    expect(answer).toMatchObject({ code: 0, stderr: "" });
    expect(answer.stdout).toContain(
      `is added to the state in place of ${old?.id}, which the next \`pulumi up\` deletes.`,
    );
    expect(await entriesOf("::train")).toMatchObject([
      { id: String(old?.id), delete: true },
      { outputs: { gpuCount: 16 } },
    ]);
    expect(await rig.workspace.up()).toMatchObject({ code: 0, summary: { created: 1, updated: 0, replaced: 0 } });
    expect(made("bare-metal")).toMatchObject([{ label: labelOf("bare-metal") }]);
    expect(made("bare-metal")[0]?.id).not.toBe(old?.id);
  });

  test("refuses while another provider's create is pending, and drops it with --force, also what was never created", async () => {
    rig.emulator.faults.add({
      match: { method: "POST", path: "/v2/alpha/on-demand/storage-volumes" },
      kind: "reset-before",
    });
    const never = `new StorageVolume("never", { region: "us-central-1", sizeInGb: 256 });`;
    rig.workspace.writeProgram(program(volume, rental(16), dependent, never, stuck));
    const requests = () => rig.emulator.requests().counts["POST /v2/alpha/on-demand/storage-volumes"];
    const sent = requests();
    const marker = join(rig.workspace.folder, "stuck-is-being-made");
    const run = await startUp("both creates have begun", () => existsSync(marker) && requests() !== sent);
    await run.kill();

    const before = rig.workspace.exportState();
    const refused = await recover();
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain(
      "the creation of urn:pulumi:test::workspace::pulumi-nodejs:dynamic:Resource::stuck (pulumi-nodejs:dynamic:Resource) was interrupted, too, and it belongs to another provider",
    );
    expect(rig.workspace.exportState()).toEqual(before);

    const forced = await recover("--force");
    expect(forced.code).toBe(0);
    expect(forced.stdout).toMatch(
      /^StorageVolume "never": was not created: no live storage volume "never-\S+" is listed \(looked for 2s\)\. The next `pulumi up` creates it\.$/m,
    );
    expect(forced.stdout).toMatch(
      /^urn:pulumi:test::workspace::pulumi-nodejs:dynamic:Resource::stuck: dropped because of --force\./m,
    );
    expect(rig.workspace.exportState().deployment.pending_operations).toEqual([]);
  });

  test("takes over without proof what a killed provider has created, where the engine kept no record", async () => {
    const lost = `new VmRental("lost", { gpuCount: 2, region: "us-east-1", monitoringEnabled: true });`;
    rig.workspace.writeProgram(program(volume, rental(16), dependent, lost));
    const run = await startUp("the machine is requested", () => made("virtual-machine").length === 2);
    endProcesses(rig.workspace.providers());
    expect((await run.finished).code).not.toBe(0);
    expect(rig.workspace.exportState().deployment.pending_operations).toEqual([]);
    passTime();

    const hint = await recover();
    expect(hint).toMatchObject({ code: 0, stderr: "" });
    const [, id = "", urn = ""] =
      /^virtual-machine rental .* To take it over: gpufleet recover --adopt (\d+) --urn '(.*)'$/m.exec(hint.stdout) ??
      [];
    const adopted = await recover("--adopt", id, "--urn", urn);
    expect(adopted).toMatchObject({ code: 0, stderr: "" });
    expect(adopted.stdout).toMatch(/^VmRental "lost": virtual-machine rental .* is added to the state\.$/m);
    expect(await rig.workspace.up()).toMatchObject({ code: 0, summary: { unchanged: 5, created: 0, replaced: 0 } });
    expect(made("virtual-machine")).toHaveLength(2);
  });

  const named = () => made("bare-metal").filter(({ label }) => label === "mine");
  const adoptCommands = (text: string) =>
    [...text.matchAll(/gpufleet recover --adopt (\S+) --urn '([^']+)'/g)].map(([, id = "", urn = ""]) => ({ id, urn }));
  const adoptAll = async (text: string) => {
    for (const { id, urn } of adoptCommands(text)) {
      expect(await recover("--adopt", id, "--urn", urn)).toMatchObject({ code: 0, stderr: "" });
    }
  };

  test("has `up` rent no second one after a kill where nothing proves what was made, until a person has settled it", async () => {
    rig.workspace.writeProgram(program(volume, unproven(8)));
    const isMade = () => made("marketplace-instance").length === 1 && named().length === 1;
    await (await startUp("both are requested", isMade)).kill();
    passTime();
    await rig.workspace.unlock();
    const refused = await rig.workspace.up();
    expect(refused.code).not.toBe(0);
    const ids = [made("marketplace-instance")[0]?.id, named()[0]?.id].map(String).sort();
    const reason = "refused, nothing was created: an earlier run was killed while it created this resource";
    for (const name of ['MarketplaceInstance "cheap"', 'BareMetalRental "named"']) {
      expect(refused.output).toContain(`creating ${name}: ${reason}`);
    }
    expect(refused.output).toMatch(
      /marketplace instance \S+ \(\w+, 1×A100\S* in \S+, \$\d+\.\d\d\/h, for \S+\) may be it/,
    );
    expect([...new Set(adoptCommands(refused.output).map(({ id }) => id))].sort()).toEqual(ids);
    expect([made("marketplace-instance"), named()].map(({ length }) => length)).toEqual([1, 1]);

    expect(await recover()).toMatchObject({ code: 0, stderr: "" });
    // What is unresolved in the state is named again, with the same commands.
    const answer = await recover();
    expect(answer).toMatchObject({ code: 0, stderr: "" });
    expect(answer.stdout).toMatch(
      /^BareMetalRental "named": it is unknown what its create has created \(unresolved:\S+\)\. Bare-metal rental \d+ "mine" \(Running, 8×h100 in us-central-1, \$19\.92\/h, for \S+\) may be it; /m,
    );
    await adoptAll(answer.stdout);
    expect(await rig.workspace.up()).toMatchObject({ code: 0, summary: { created: 0, replaced: 0 } });
    expect([...made("marketplace-instance"), ...named()].map(({ id }) => String(id)).sort()).toEqual(ids);
  });

  test("condemns nothing after a kill inside a replacement without proof, and has a person settle it", async () => {
    const [old] = named();
    rig.workspace.writeProgram(program(volume, unproven(16)));
    await (await startUp("the new one is requested", () => named().length === 2)).kill();
    passTime();
    const answer = await recover();
    expect(answer).toMatchObject({ code: 0, stderr: "" });
    expect(answer.stdout).toContain(`BareMetalRental "named": ${old?.id} stays in the state as it is.`);
    const entries = await entriesOf("::named");
    expect(entries).toMatchObject([
      { id: String(old?.id) },
      { id: expect.stringMatching(/^unresolved:/), delete: true },
    ]);
    expect(entries[0]?.["delete"]).toBeUndefined();
    const refused = await rig.workspace.up();
    expect(refused.code).not.toBe(0);
    expect(refused.output).toContain("may be it; nothing proves it, so nothing was taken over or terminated");
    expect(named()).toHaveLength(2);

    await adoptAll(answer.stdout);
    expect(await rig.workspace.up()).toMatchObject({ code: 0, summary: { created: 0, replaced: 0 } });
    expect(named().map(({ id }) => id)).not.toContain(old?.id);
    expect(await entriesOf("::named")).toMatchObject([{ id: String(named()[0]?.id) }]);
  });

  test("keeps secret what the program keeps secret, in the state and in what it says", async () => {
    const { workspace } = rig;
    const label = "hush-hush";
    const hidden = `new VmRental("hidden", { gpuCount: 1, label: pulumi.secret("${label}") });`;
    workspace.writeProgram(program(double));
    await workspace.up();
    workspace.writeProgram(program(double, hidden));
    const run = await startUp("the machine is requested", () => labelOf("virtual-machine") === label);
    endProcesses(workspace.providers());
    expect((await run.finished).code).not.toBe(0);
    passTime();
    const [beside] = await entriesOf("::double");
    const urn = (beside?.urn ?? "").replace("BareMetalRental::double", "VmRental::hidden");
    const adopted = await recover("--adopt", String(made("virtual-machine").at(-1)?.id), "--urn", urn);
    expect(adopted).toMatchObject({ code: 0, stderr: "" });
    expect(adopted.stdout).toMatch(/^VmRental "hidden": .* is added to the state\.$/m);
    expect(adopted.stdout + JSON.stringify(workspace.exportState())).not.toContain(label);
    expect(await workspace.up()).toMatchObject({ code: 0, summary: { created: 0, replaced: 0 } });
    expect(JSON.stringify(workspace.exportState())).not.toContain(label);
    workspace.writeProgram(program());
    expect(await workspace.up()).toMatchObject({ code: 0 });
  });

  test("names what a killed provider has created also after a destroy, and the command that terminates it", async () => {
    const { workspace } = rig;
    const lost = `new VmRental("lost", { gpuCount: 2, region: "us-east-1" });`;
    workspace.writeProgram(program(lost));
    const run = await startUp("the machine is requested", () => made("virtual-machine").length === 1);
    endProcesses(workspace.providers());
    expect((await run.finished).code).not.toBe(0);
    const destroyed = await workspace.destroy();
    expect(destroyed.output).not.toContain("virtual-machine");
    expect(made("virtual-machine")).toHaveLength(1);
    passTime();
    const { stdout, ...rest } = await recover("--stack", "test");
    expect(rest).toEqual({ code: 0, stderr: "" });
    const [, command = ""] =
      /^virtual-machine rental \d+ "lost-\S+ .* was created by this stack but is missing from its state, and there is no record of its creation\. To terminate \d+: `gpufleet (.*)`\.\n$/.exec(
        stdout,
      ) ?? [];
    expect(await runGpufleet(workspace, ...command.split(" "))).toMatchObject({ code: 0, stderr: "" });
    expect(made("virtual-machine")).toEqual([]);
    expect(await recover()).toEqual({ code: 0, stdout: "Nothing to recover.\n", stderr: "" });
  });

  test("says after a destroy what a killed run had begun, and settles it once that is terminated", async () => {
    const { workspace } = rig;
    workspace.writeProgram(program(rental(8)));
    await (await startUp("the rental is requested", () => made("bare-metal").length === 1)).kill();
    await workspace.unlock();
    await workspace.destroy();
    passTime();
    const refused = await recover("--stack", "test");
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    const [, command = ""] =
      /^gpufleet: refused, and nothing was changed: the state is empty, as after `pulumi destroy`, so nothing can be added to it\. What this would have done: BareMetalRental "train": bare-metal rental \d+ .* To terminate \d+: `gpufleet (.*)`\. Then run this again\.\n$/.exec(
        refused.stderr,
      ) ?? [];
    expect(await runGpufleet(workspace, ...command.split(" "))).toMatchObject({ code: 0, stderr: "" });
    expect(made("bare-metal")).toEqual([]);
    const settled = await recover();
    expect(settled).toMatchObject({ code: 0, stderr: "" });
    expect(settled.stdout).toMatch(/^BareMetalRental "train": was not created: /);
    expect(workspace.exportState().deployment.pending_operations ?? []).toEqual([]);
  });
});
