import { z } from "zod";
import { createClient } from "../../provider/client";
import { waitUntil } from "../../tools/workspace";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";

const bareMetalPath = "/v2/alpha/on-demand/bare-metal-rentals";

/** A fleet that shares a volume, and one spread over regions of which each has room for one member. */
interface Sizes {
  train: number;
  /** Of the first fleet. */
  minCount?: number;
  spread: number;
  regions?: readonly string[];
}

const program = ({ train, spread, minCount, regions = ["us-east-1", "jp-east-1"] }: Sizes) => `
  const { GpuFleet } = require("pulumi-gpufleet");
  const train = new GpuFleet("train", {
    kind: "bare-metal", count: ${train}, gpuCount: 8, networkType: "infiniband", regions: ["us-central-1"],
    sharedVolume: { sizeInGb: 256 }, maxCostPerHour: 1000, minCount: ${minCount},
  });
  const spread = new GpuFleet("spread", {
    kind: "vm", count: ${spread}, gpuCount: 512, regions: ${JSON.stringify(regions)}, fallbackRegions: ["eu-west-1"],
  });
  module.exports = {
    train: train.members, spread: spread.members, costPerHour: train.costPerHour,
    sshConfig: train.sshConfig, inventory: train.inventory,
  };
`;

const member = z.object({ name: z.string(), rentalId: z.number(), status: z.string(), region: z.string() });
const outputs = z.object({
  train: z.array(member),
  spread: z.array(member),
  costPerHour: z.number(),
  sshConfig: z.string(),
  inventory: z.string(),
});

describe("Fleets on the real engine", () => {
  let emulated: EmulatedWorkspace;
  const sizes: Sizes = { train: 3, spread: 3 };

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({
      program: program(sizes),
      refresh: "always",
      emulator: { provisionSeconds: 1, capacity: 512 },
      env: { GPUFLEET_RECONCILE_SECONDS: "3" },
    });
  });
  afterAll(() => emulated.dispose());

  const resize = (change: Partial<Sizes>) => emulated.workspace.writeProgram(program(Object.assign(sizes, change)));
  const readOutputs = async () => outputs.parse(await emulated.workspace.outputs());
  const billing = () => emulated.emulator.state().filter((object) => object.billing);

  test("come up with volume, addresses and prices; a region without capacity is passed over", async () => {
    const run = await emulated.workspace.up();
    // Two components, three members and two gates each, the volume and its attachment, the stack.
    expect({ ...run.summary, code: run.code, output: run.output }).toMatchObject({ code: 0, created: 15 });
    const { train, spread, costPerHour, sshConfig, inventory } = await readOutputs();
    expect(train.map(({ name, status, region }) => [name, status, region])).toEqual([
      ["train-0", "Running", "us-central-1"],
      ["train-1", "Running", "us-central-1"],
      ["train-2", "Running", "us-central-1"],
    ]);
    expect(spread.map(({ region }) => region).sort()).toEqual(["eu-west-1", "jp-east-1", "us-east-1"]);
    expect(costPerHour).toBe(59.7856);
    expect(sshConfig.match(/^Host train-\d$/gm)).toHaveLength(3);
    expect(inventory).toMatch(
      /^\[train\]\ntrain-0 ansible_host=127\.0\.0\.1 ansible_port=\d+ ansible_user=ubuntu region=us-central-1\n/,
    );
    const { deployment } = emulated.workspace.exportState();
    const attached = deployment.resources.filter(({ type }) => type.endsWith(":VolumeAttachment"));
    expect(attached.map(({ inputs }) => inputs["rentalIds"])).toEqual([train.map(({ rentalId }) => rentalId)]);
    // The engine writes the outputs of a component at every step, and would write every member three times. Of the second the price is unknown.
    const fleets = deployment.resources.filter(({ type }) => type === "gpufleet:index:GpuFleet");
    expect(fleets.flatMap(({ outputs }) => Object.keys(outputs))).toEqual(["costPerHour"]);
    // Where a resource comes from is a line of the program; the lines of this package, of Pulumi and of Node only fill the state.
    const members = deployment.resources.filter(({ type }) => type.endsWith(":BareMetalRental"));
    for (const { sourcePosition, stackTrace } of members) {
      expect(sourcePosition).toMatch(/^project:\/\/\/index\.js#\d+,\d+$/);
      expect(stackTrace).toEqual([{ sourcePosition }]);
    }
  });

  test("grow, shrink and get further regions without touching the members that stay", async () => {
    const before = await readOutputs();
    resize({ train: 4, spread: 2, regions: ["ca-east-1", "jp-east-1", "us-east-1"] });
    const { steps } = await emulated.workspace.previewAsJson();
    const changes = steps.filter(({ op }) => op !== "same" && op !== "refresh");
    expect(changes.map(({ op, urn }) => `${op} ${urn.split("::").at(-1)}`).sort()).toEqual([
      "create train-3",
      "delete spread-2",
      "update spread-ready",
      "update train-ready",
      "update train-volume-on-members",
    ]);
    const run = await emulated.workspace.up();
    expect(run).toMatchObject({ code: 0, summary: { created: 1, updated: 3, replaced: 0, deleted: 1 } });
    const after = await readOutputs();
    expect(after.train.slice(0, 3)).toEqual(before.train);
    expect(after.train).toHaveLength(4);
    expect(after.spread).toEqual(before.spread.slice(0, 2));
  });

  test("heal: a member that was ended behind our back is made anew, and only that one", async () => {
    const before = await readOutputs();
    const [lost] = before.train;
    if (!lost) throw new Error("no member to lose");
    const account = createClient({ baseUrl: emulated.url, apiKey: emulated.workspace.env["GPUFLEET_API_KEY"] });
    await account.terminateRental({ rentalType: "bare-metal", rentalId: lost.rentalId });
    const run = await emulated.workspace.up();
    expect({ ...run.summary, code: run.code, output: run.output }).toMatchObject({ code: 0, replaced: 0, deleted: 0 });
    const after = await readOutputs();
    expect(after.train[0]).toMatchObject({ name: "train-0", status: "Running" });
    expect(after.train[0]?.rentalId).not.toBe(lost.rentalId);
    expect(after.train.slice(1)).toEqual(before.train.slice(1));
    expect(after.spread).toEqual(before.spread);
    expect(billing()).toHaveLength(4 + 2 + 1);
  });

  test("name a member that fails, and replace it with the next up", async () => {
    emulated.emulator.faults.add({ match: { method: "POST", path: bareMetalPath }, kind: "fail-provisioning" });
    resize({ train: 5 });
    const failing = await emulated.workspace.up();
    expect(failing.code).not.toBe(0);
    expect(failing.output).toMatch(
      /updating FleetReady "train-ready": 1 of 5 failed: train-4 \(rental \d+\) is Failed and costs \$19\.92\/h\./,
    );
    const healing = await emulated.workspace.up();
    expect({ ...healing.summary, code: healing.code, output: healing.output }).toMatchObject({
      code: 0,
      replaced: 1,
      created: 0,
    });
    expect((await readOutputs()).train[4]).toMatchObject({ name: "train-4", status: "Running" });
    expect(billing()).toHaveLength(5 + 2 + 1);
  });

  test("come up with fewer where that will do, and say which are missing", async () => {
    emulated.emulator.faults.add({ match: { method: "POST", path: bareMetalPath }, kind: "fail-provisioning" });
    resize({ train: 6, minCount: 5 });
    const run = await emulated.workspace.up();
    expect({ code: run.code, output: run.output }).toMatchObject({
      code: 0,
      output: expect.stringMatching(/up with 5 of 6 Running, as minCount 5 allows\. train-5 \(rental \d+\) is Failed/),
    });
    const { deployment } = emulated.workspace.exportState();
    const [attachment] = deployment.resources.filter(({ type }) => type.endsWith(":VolumeAttachment"));
    expect(attachment?.inputs["rentalIds"]).toHaveLength(5);
  });

  test("keep the volume on a member that one list leaves out", async () => {
    expect(await emulated.workspace.up()).toMatchObject({ code: 0, summary: { replaced: 1 } });
    const { train } = await readOutputs();
    const detaches = () =>
      Object.entries(emulated.emulator.requests().counts).filter(([request]) => request.includes("detach"));
    const before = detaches();
    const ids = train.slice(1, 2).map(({ rentalId }) => rentalId);
    emulated.emulator.faults.add({ match: { method: "GET", path: bareMetalPath }, kind: "omit", ids });
    expect(await emulated.workspace.up()).toMatchObject({ code: 0 });
    expect(detaches()).toEqual(before);
  });

  test("that are invalid are refused before anything is registered", async () => {
    const requests = emulated.emulator.requests().total;
    emulated.workspace.writeProgram(`
      const { GpuFleet } = require("pulumi-gpufleet");
      new GpuFleet("train", { kind: "bare-metal", count: -1, gpuCount: 4, networkType: "infiniband", regions: [] });
    `);
    const run = await emulated.workspace.preview("--refresh=false");
    expect(run.code).not.toBe(0);
    expect(run.output).toContain(
      'error: GpuFleet "train" is invalid: count must be a whole number, 0 or more, not -1; regions must be a list of at least one region, such as ["us-central-1"], not []; gpuCount must be a multiple of 8, because bare metal comes in whole nodes, not 4.',
    );
    expect(run.output).not.toContain("GpuFleet train");
    expect(run.output).not.toMatch(/\bat .*\.js:\d+/);
    expect(emulated.emulator.requests().total).toBe(requests);
  });

  test("leave nothing billing when they are destroyed", async () => {
    expect(await emulated.workspace.destroy()).toMatchObject({ code: 0 });
    expect(billing()).toEqual([]);
  });
});

describe("A fleet with room for little more than itself", () => {
  let emulated: EmulatedWorkspace;

  /** Three nodes and a volume, in a region with room for four. */
  const fleet = (args: string) => `
    const { GpuFleet } = require("pulumi-gpufleet");
    const fleet = new GpuFleet("train", {
      kind: "bare-metal", count: 3, gpuCount: 8, gpuType: "h100", networkType: "infiniband", regions: ["us-central-1"],
      sharedVolume: { sizeInGb: 256, protect: true }, ${args}
    });
    exports.members = fleet.members;
  `;

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({
      program: fleet(""),
      emulator: { provisionSeconds: 1, capacity: 32 },
      env: { GPUFLEET_RECONCILE_SECONDS: "3" },
    });
  });
  afterAll(() => emulated.dispose());

  const billing = (kind: string) => emulated.emulator.state().filter((one) => one.billing && one.kind === kind);
  const up = async (args: string) => {
    emulated.workspace.writeProgram(fleet(args));
    const run = await emulated.workspace.up();
    return { ...run.summary, code: run.code, output: run.output };
  };

  test("that cannot be replaced says how it can, and goes back with what it says", async () => {
    expect(await up("")).toMatchObject({ code: 0 });
    const stuck = await up('gpuType: "h200",');
    expect(stuck.code).not.toBe(0);
    expect(stuck.output).toContain(
      'The machine that it replaces still takes up room. With replacement: "delete-first" each member is terminated before its successor is rented',
    );
    expect(stuck.output).toMatch(/Of the fleet "train" of 3, 4 bill \$\d+\.\d\d\/h so far: train-0 \(rental \d+, /);
    expect(billing("bare-metal")).toHaveLength(4);
    expect(await up('replacement: "delete-first",')).toMatchObject({ code: 0 });
    expect(billing("bare-metal")).toHaveLength(3);
    expect(billing("storage-volume")).toHaveLength(1);
  });

  test("is replaced one at a time, each when the one before is ready", async () => {
    emulated.workspace.writeProgram(fleet('gpuType: "h200", replacement: { batch: 1 },'));
    const running = emulated.workspace.start("up", "--yes", "--skip-preview");
    const seen = new Set<number>();
    let isOver = false;
    running.finished.finally(() => {
      isOver = true;
    });
    await waitUntil("it is replaced", () => {
      seen.add(billing("bare-metal").filter(({ status }) => status === "Running").length);
      return isOver;
    });
    expect(await running.finished).toMatchObject({ code: 0, summary: { replaced: 3 } });
    expect([...seen].sort()).toEqual([2, 3]);
  });

  test("keeps its volume when it has no members, and when the fleet goes as long as it is protected", async () => {
    expect(await up("count: 0,")).toMatchObject({ code: 0, deleted: 4 });
    expect([billing("bare-metal").length, billing("storage-volume").length]).toEqual([0, 1]);
    const refused = await emulated.workspace.destroy();
    expect(refused.code).not.toBe(0);
    expect(refused.output).toMatch(/train-volume.* cannot be deleted.*protect/s);
    const [volume] = billing("storage-volume");
    expect(await up("count: 0, sharedVolume: { sizeInGb: 256 },")).toMatchObject({ code: 0 });
    // The same volume, used by a fleet that does not manage it.
    emulated.workspace.writeProgram(`${fleet("count: 0, sharedVolume: { sizeInGb: 256 },")}
      new GpuFleet("guest", {
        kind: "bare-metal", count: 1, gpuCount: 8, networkType: "infiniband", regions: ["us-central-1"],
        sharedVolume: { id: ${volume?.id} },
      });`);
    const guest = await emulated.workspace.up();
    // The component, two gates, a member and its attachment.
    expect({ ...guest.summary, output: guest.output }).toMatchObject({
      created: 5,
      updated: 0,
      replaced: 0,
      deleted: 0,
    });
    expect(await emulated.workspace.destroy()).toMatchObject({ code: 0 });
    expect(emulated.emulator.state().filter((one) => one.billing)).toEqual([]);
  });
});

describe("The destroy of a fleet", () => {
  const perFleet = 6;
  const endSeconds = 6;
  const endPath = `${bareMetalPath}/terminate`;
  const fleetOf = (count: number) => `"train", {
    kind: "bare-metal", count: ${count}, gpuCount: 8, networkType: "infiniband", regions: ["us-central-1"],
  }`;
  /** Two fleets of one name, under parents of different types: one of dynamic resources, one of the plugin. */
  const twoParents = `
    const pulumi = require("@pulumi/pulumi");
    for (const [type, from] of [["test:index:A", "pulumi-gpufleet"], ["test:index:B", "pulumi-gpufleet/native"]]) {
      const parent = new pulumi.ComponentResource(type, "parent");
      new (require(from).GpuFleet)(${fleetOf(perFleet)}, { parent });
    }
  `;
  let emulated: EmulatedWorkspace;

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({
      program: twoParents,
      plugin: true,
      refresh: "always",
      emulator: { endSeconds },
      env: { GPUFLEET_RECONCILE_SECONDS: "3" },
    });
  });
  afterAll(() => emulated.dispose());

  const count = (request: string) => emulated.emulator.requests().counts[request] ?? 0;
  const billing = () => emulated.emulator.state().filter((one) => one.billing);
  const held = async () => {
    const { deployment } = emulated.workspace.exportState();
    return (deployment.resources ?? []).map(({ urn }) => urn.split("::").at(-1) ?? "");
  };

  test("waits for all ends together", async () => {
    expect(await emulated.workspace.up()).toMatchObject({ code: 0 });
    const lists = count(`GET ${bareMetalPath}`);
    const running = emulated.workspace.start("destroy", "--yes", "--skip-preview", "--parallel", "2");
    let most = 0;
    let isOver = false;
    running.finished.finally(() => {
      isOver = true;
    });
    await waitUntil("it is destroyed", () => {
      most = Math.max(most, billing().filter(({ status }) => status === "Terminating").length);
      return isOver;
    });
    expect(await running.finished).toMatchObject({ code: 0 });
    expect(billing()).toEqual([]);
    // If each waited for its own end, two at a time would be on their way out.
    expect(most).toBeGreaterThan(4);
    expect(count(`POST ${endPath}`)).toBe(2 * perFleet);
    // One for each to see that its end was taken, and those of one ending time, on a slow machine, too.
    expect(count(`GET ${bareMetalPath}`) - lists).toBeLessThanOrEqual(2 * perFleet + 24);
  });

  test("waits for a member that is destroyed alone, although the first gate goes along with it", async () => {
    expect(await emulated.workspace.up()).toMatchObject({ code: 0 });
    const { deployment } = emulated.workspace.exportState();
    const first = deployment.resources.filter(({ urn }) => urn.endsWith("::train-0"));
    const targets = first.flatMap(({ urn }) => ["--target", urn]);
    const run = await emulated.workspace.destroy(...targets, "--target-dependents");
    // Of each fleet a member and the first gate.
    expect({ ...run.summary, code: run.code, output: run.output }).toMatchObject({ code: 0, deleted: 4 });
    expect(billing().map(({ status }) => status)).toEqual(Array(2 * perFleet - 2).fill("Running"));
  });

  test("can be killed between the members and the second gate, and the next one leaves nothing", async () => {
    const running = emulated.workspace.start("destroy", "--yes", "--skip-preview");
    await waitUntil("some members are gone from the state, and still bill", async () => {
      // The engine may be writing it at this moment.
      const members = (await held().catch(() => [])).filter((name) => /^train-\d$/.test(name));
      return members.length > 0 && members.length < 2 * perFleet - 2 && billing().length > members.length;
    });
    await running.kill();
    await emulated.workspace.unlock();
    expect(await held()).toContain("train-ended");
    // Members whose deletes were under way are still in the state, and may have ended: a refresh would not believe that all at once.
    const { code, output } = await emulated.workspace.destroy("--refresh=false");
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(billing()).toEqual([]);
    expect(await held()).toEqual([]);
  });

  test("names what still bills when it is interrupted, and the next one waits for it", async () => {
    emulated.workspace.writeProgram(`new (require("pulumi-gpufleet/native").GpuFleet)(${fleetOf(2)});`);
    expect(await emulated.workspace.up()).toMatchObject({ code: 0 });
    const running = emulated.workspace.start("destroy", "--yes", "--skip-preview");
    await running.waitForOutput(/0 of 2 ended/);
    running.interrupt();
    const { code, output } = await running.finished;
    expect(code).not.toBe(0);
    expect(output).toMatch(
      /deleting FleetEnded "train-ended": cancelled; no further requests are sent\. 2 of the fleet may still bill, \$39\.84\/h: train-0 \(rental \d+\) is Terminating and costs \$19\.92\/h; train-1 \(rental \d+\) is Terminating and costs \$19\.92\/h\. Run `pulumi destroy` again to continue waiting\./,
    );
    expect(billing()).toHaveLength(2);
    expect(await emulated.workspace.destroy()).toMatchObject({ code: 0 });
    expect(billing()).toEqual([]);
  });
});
