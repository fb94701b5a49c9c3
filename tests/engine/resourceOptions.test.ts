import { createClient } from "../../provider/client";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";

/** What the engine cannot do for dynamic resources itself, and what is done in its place. */
describe("Resource options on the real engine", () => {
  let emulated: EmulatedWorkspace;
  const ids = { rental: 0, volume: 0 };

  const program = (rest: string) => `
    const g = require("pulumi-gpufleet");
    const rental = { networkType: "infiniband", gpuCount: 8 };
    const size = { region: "us-central-1", sizeInGb: 256 };
    ${rest}
  `;

  const managed = () => `
    const taken = new g.BareMetalRental("taken", rental, { import: "${ids.rental}", customTimeouts: { create: "1h30m", delete: "7m" } });
    const data = new g.StorageVolume("data", { ...size, timeouts: { create: 60 } }, { import: "${ids.volume}", customTimeouts: { create: "5m", delete: "9m" } });
    new g.VolumeAttachment("pair", { storageVolumeId: ${ids.volume}, rentalIds: [${ids.rental}] }, { import: "${ids.volume}:${ids.rental}", dependsOn: [taken, data] });
  `;

  const looked = () => `
    const seen = g.BareMetalRental.get("seen", "${ids.rental}");
    const volume = g.StorageVolume.get("seen", "${ids.volume}");
    const pair = g.VolumeAttachment.get("seen", "${ids.volume}:${ids.rental}");
    exports.seen = [seen.rentalId, seen.gpuCount, seen.networkType, seen.status, volume.sizeInGb, volume.storageVolumeId, pair.rentalIds, pair.status];
  `;

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({ program: "", env: { GPUFLEET_RECONCILE_SECONDS: "1" } });
    const client = createClient({ baseUrl: emulated.url, apiKey: emulated.workspace.env["GPUFLEET_API_KEY"] });
    const rental = await client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8 });
    const volume = await client.createStorageVolume({ label: "by-hand", region: "us-central-1", sizeInGb: 256 });
    ids.rental = rental.id;
    ids.volume = volume.storageVolumeId;
    await client.attachStorageVolume({ storageVolumeId: ids.volume, rentalIds: [ids.rental] });
  });
  afterAll(() => emulated.dispose());

  const billing = () => emulated.emulator.state().filter((one) => one.billing);

  test("get and the option id read what exists, and leave it alone when the stack is destroyed", async () => {
    const { workspace } = emulated;
    workspace.writeProgram(program(looked()));
    const up = await workspace.up();
    expect({ code: up.code, output: up.output }).toMatchObject({ code: 0 });
    expect((await workspace.outputs())["seen"]).toEqual([
      ids.rental,
      8,
      "infiniband",
      "Running",
      256,
      ids.volume,
      [ids.rental],
      "attached",
    ]);
    expect(await workspace.refresh()).toMatchObject({ code: 0, summary: { updated: 0, deleted: 0 } });
    expect(await workspace.destroy()).toMatchObject({ code: 0 });
    expect(billing()).toHaveLength(2);
  });

  test("what does not exist is an error that names it", async () => {
    const { workspace, url } = emulated;
    workspace.writeProgram(
      program(`
        new g.BareMetalRental("nobody", rental, { id: "4711" });
        g.VmRental.get("nobody", "4711");
        g.StorageVolume.get("nobody", "4711");
        g.VolumeAttachment.get("nobody", "${ids.volume}:4711");
        g.VolumeAttachment.get("nonsense", "4711");
        g.MarketplaceInstance.get("nobody", "i-4711");
      `),
    );
    const { code, output } = await workspace.up();
    expect(code).not.toBe(0);
    const advice = "Check the id, the address and the API key.";
    for (const text of [
      `reading BareMetalRental "nobody": bare-metal rental 4711 does not exist at ${url}. ${advice}`,
      `reading VmRental "nobody": virtual-machine rental 4711 does not exist at ${url}. ${advice}`,
      `reading StorageVolume "nobody": storage volume 4711 does not exist at ${url}. ${advice}`,
      `reading VolumeAttachment "nobody": volume attachment ${ids.volume}:4711 does not exist at ${url} (attached to 0 of 1). ${advice}`,
      'reading VolumeAttachment "nonsense": "4711" is not the id of a volume attachment, which is <volume>:<rental>,<rental>',
      `reading MarketplaceInstance "nobody": marketplace instance i-4711 does not exist at ${url}. ${advice}`,
    ]) {
      expect(output).toContain(text);
    }
  });

  test("import takes over what exists, without creating anything, and can be removed afterwards", async () => {
    const { workspace } = emulated;
    workspace.writeProgram(program(managed()));
    const up = await workspace.up();
    expect({ code: up.code, output: up.output }).toMatchObject({ code: 0 });
    const { resources } = workspace.exportState().deployment;
    const inputsOf = (name: string) => resources.find(({ urn }) => urn.endsWith(`::${name}`))?.inputs;
    expect(inputsOf("taken")?.["timeouts"]).toEqual({ create: "1h30m", delete: "7m" });
    expect(inputsOf("data")?.["timeouts"]).toEqual({ create: 60, delete: "9m" });
    expect(emulated.emulator.state()).toHaveLength(2);
    workspace.writeProgram(program(managed().replaceAll(/import: "[^"]*",?/g, "")));
    const again = await workspace.up();
    expect(again).toMatchObject({ code: 0, summary: { created: 0, replaced: 0, deleted: 0 } });
  });

  test("what was imported is the stack's, and ends with it", async () => {
    expect(await emulated.workspace.destroy()).toMatchObject({ code: 0 });
    expect(billing()).toEqual([]);
  });

  test("a saved plan is carried out where the label is the program's own, and shows nothing of the inner names", async () => {
    const { workspace } = emulated;
    workspace.writeProgram(program('new g.BareMetalRental("planned", { ...rental, label: "planned" });'));
    const preview = await workspace.preview("--diff", "--save-plan", "plan.json");
    expect({ code: preview.code, output: preview.output }).toMatchObject({
      code: 0,
      output: expect.not.stringContaining("__where"),
    });
    const up = await workspace.up("--plan", "plan.json");
    expect({ code: up.code, output: up.output }).toMatchObject({ code: 0 });
    expect(billing().map(({ label }) => label)).toEqual(["planned"]);
    expect(await workspace.destroy()).toMatchObject({ code: 0 });
  });
});
