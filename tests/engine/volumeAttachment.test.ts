import { type Client, createClient } from "../../provider/client";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";

interface Shape {
  /** Which rentals the attachment has. */
  rentals: string[];
  volume?: "data" | "other";
  /** Provider-side inputs of the volume. */
  onVolume?: object;
  /** The GPU of rental a. */
  gpuType?: string;
  /** The volume of a further rental. */
  named?: "other";
}

const program = ({ rentals, volume = "data", onVolume = {}, gpuType = "h100", named }: Shape) => `
  const { BareMetalRental, StorageVolume, VolumeAttachment } = require("pulumi-gpufleet");
  const rental = (name, args = {}) => new BareMetalRental(name, { networkType: "infiniband", gpuCount: 8, ...args });
  const volume = (name) => new StorageVolume(name, { region: "us-central-1", sizeInGb: 256, ...${JSON.stringify(onVolume)} });
  const rentals = { a: rental("a", { gpuType: "${gpuType}" }), b: rental("b"), c: rental("c") };
  const volumes = { data: volume("data"), other: volume("other") };
  const link = new VolumeAttachment("link", {
    storageVolumeId: volumes.${volume}.storageVolumeId,
    rentalIds: ${JSON.stringify(rentals)}.map((name) => rentals[name].rentalId),
  });
  new VolumeAttachment("second", { storageVolumeId: volumes.data.storageVolumeId, rentalIds: [rentals.c.rentalId] });
  ${named ? `rental("user", { networkType: "ethernet", storageVolume: { isNew: false, id: volumes.${named}.storageVolumeId } });` : ""}
  exports.link = link.id;
  exports.vip = link.vip;
`;

/** The stack, three rentals, two volumes and two attachments. */
const all = 8;

describe("An attachment on the real engine", () => {
  let emulated: EmulatedWorkspace;
  let client: Client;

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({
      program: program({ rentals: ["a"] }),
      env: { GPUFLEET_RECONCILE_SECONDS: "1" },
    });
    client = createClient({ baseUrl: emulated.url, apiKey: "emulator-key" });
  });

  afterAll(async () => {
    await client.close();
    await emulated.dispose();
  });

  const write = (shape: Shape) => emulated.workspace.writeProgram(program(shape));
  const entryOf = (name: string) =>
    emulated.workspace.exportState().deployment.resources.find(({ urn }) => urn.endsWith(`::${name}`));
  const idOf = async (name: string) => entryOf(name)?.id ?? "";
  const urnOf = (name: string) => entryOf(name)?.urn ?? "";
  /** Names of the rentals that a volume is attached to. */
  const attachedTo = async (volume: string) => {
    const { resources } = emulated.workspace.exportState().deployment;
    const nameOf = (urn: string) => urn.slice(urn.lastIndexOf("::") + 2);
    const id = resources.find(({ urn }) => nameOf(urn) === volume)?.id;
    const record = (await client.listStorageVolumes()).find((listed) => String(listed.id) === id);
    const attached = new Set(record?.attachedRentals.map(String));
    return resources
      .filter((kept) => kept.type.endsWith(":BareMetalRental") && attached.has(kept.id ?? ""))
      .map(({ urn }) => nameOf(urn))
      .sort();
  };

  test("attaches, with the id of volume and rentals, and is unchanged by preview and refresh", async () => {
    expect(await emulated.workspace.up()).toMatchObject({ code: 0, summary: { created: all } });
    expect(await attachedTo("data")).toEqual(["a", "c"]);
    expect(await idOf("link")).toBe(`${await idOf("data")}:${await idOf("a")}`);
    expect(await emulated.workspace.preview("--expect-no-changes")).toMatchObject({ code: 0 });
    expect(await emulated.workspace.refresh("--expect-no-changes")).toMatchObject({ code: 0 });
  });

  test("adds and removes rentals in place, keeps its id, and leaves the other attachment alone", async () => {
    const id = await idOf("link");
    write({ rentals: ["b", "a"] });
    expect(await emulated.workspace.up()).toMatchObject({ code: 0, summary: { updated: 1, unchanged: all - 1 } });
    expect(await attachedTo("data")).toEqual(["a", "b", "c"]);
    write({ rentals: ["a", "b"] });
    expect(await emulated.workspace.preview("--expect-no-changes")).toMatchObject({ code: 0 });
    write({ rentals: ["b"] });
    expect(await emulated.workspace.up()).toMatchObject({ code: 0, summary: { updated: 1, unchanged: all - 1 } });
    expect(await attachedTo("data")).toEqual(["b", "c"]);
    expect(await idOf("link")).toBe(id);
  });

  test("is not previewed as replaced when a provider-side input of its volume changes", async () => {
    write({ rentals: ["b"], onVolume: { timeouts: { delete: "1h" } } });
    expect((await emulated.workspace.previewAsJson()).changeSummary).toEqual({ same: all - 2, update: 2 });
  });

  test("follows a rental that is replaced, in place", async () => {
    write({ rentals: ["a"] });
    await emulated.workspace.up();
    write({ rentals: ["a"], gpuType: "h200" });
    expect((await emulated.workspace.previewAsJson()).changeSummary).toEqual({ same: all - 2, replace: 1, update: 1 });
    expect(await emulated.workspace.up()).toMatchObject({ code: 0, summary: { replaced: 1, updated: 1 } });
    expect(await attachedTo("data")).toEqual(["a", "c"]);
  });

  test("is replaced when it goes to another volume", async () => {
    write({ rentals: ["a"], gpuType: "h200", volume: "other" });
    expect(await emulated.workspace.up()).toMatchObject({ code: 0, summary: { replaced: 1, unchanged: all - 1 } });
    expect(await attachedTo("data")).toEqual(["c"]);
    expect(await attachedTo("other")).toEqual(["a"]);
  });

  test("that was undone behind our back is made again", async () => {
    const [storageVolumeId, rental] = [Number(await idOf("other")), Number(await idOf("a"))];
    await client.detachStorageVolume({ storageVolumeId, rentalIds: [rental] });
    expect(await emulated.workspace.up("--refresh")).toMatchObject({ code: 0, summary: { updated: 1 } });
    expect(await attachedTo("other")).toEqual(["a"]);
  });

  test("leaves alone what has the id of its volume by now, and says so", async () => {
    const { emulator, workspace } = emulated;
    const [storageVolumeId, a] = [Number(await idOf("other")), Number(await idOf("a"))];
    await client.detachStorageVolume({ storageVolumeId, rentalIds: [a] });
    await client.deleteStorageVolume({ storageVolumeId });
    emulator.clock.advance(60);
    emulator.reuseId("storage-volume", storageVolumeId, "neighbours-own");
    await client.attachStorageVolume({ storageVolumeId, rentalIds: [a] });
    write({ rentals: ["b"], gpuType: "h200", volume: "other", named: "other" });
    const { code, output } = await workspace.up();
    expect(code).toBe(1);
    expect(output).toContain(`storage volume ${storageVolumeId} is another one by now (created at `);
    expect(output).toMatch(
      /it names StorageVolume "other", of which this must be settled first: .*Nothing was created/,
    );
    write({ rentals: ["a"], gpuType: "h200", volume: "data" });
    expect(await workspace.up()).toMatchObject({
      code: 0,
      summary: { replaced: 1 },
      output: expect.stringContaining("the one that was attached is gone, so nothing was detached"),
    });
    expect(emulator.attachments()).toContainEqual({ volumeId: storageVolumeId, rentalId: a });
    // As the error says: it is not ours any more.
    await workspace.succeed("state", "delete", urnOf("other"), "--yes");
  });

  test("goes before its rentals and volumes without being told to, and nothing is left that bills", async () => {
    expect(await emulated.workspace.destroy()).toMatchObject({ code: 0, summary: { deleted: all - 1 } });
    const billing = emulated.emulator.state().filter((object) => object.billing);
    expect(billing.map(({ label }) => label)).toEqual(["neighbours-own"]);
  });
});
