import { createClient } from "../../provider/client";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";

const program = (...resources: string[]) => `
  const { BareMetalRental, StorageVolume, VolumeAttachment } = require("pulumi-gpufleet");
  const rental = (name, args = {}) => new BareMetalRental(name, { networkType: "infiniband", gpuCount: 8, ...args });
  ${resources.join("\n")}
`;

/** What is there for longer than the resource that came with it. */
describe("A volume on the real engine", () => {
  let emulated: EmulatedWorkspace;

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({ program: program(), env: { GPUFLEET_RECONCILE_SECONDS: "1" } });
  });

  afterAll(() => emulated.dispose());

  test("keeps its pair where an adopted one has that from now on and the attachment goes", async () => {
    const { emulator, url, workspace } = emulated;
    const client = createClient({ baseUrl: url, apiKey: "emulator-key" });
    const { storageVolumeId } = await client.createStorageVolume({
      region: "us-central-1",
      sizeInGb: 256,
      label: "shared",
    });
    await client.close();
    const a = `const a = rental("a");`;
    workspace.writeProgram(
      program(a, `new VolumeAttachment("link", { storageVolumeId: ${storageVolumeId}, rentalIds: [a.rentalId] });`),
    );
    expect(await workspace.up()).toMatchObject({ code: 0 });
    const adopted = `{ region: "us-central-1", sizeInGb: 256, adoptId: ${storageVolumeId}, rentalIds: [a.rentalId] }`;
    workspace.writeProgram(program(a, `new StorageVolume("data", ${adopted});`));
    expect(await workspace.up()).toMatchObject({ code: 0, summary: { created: 1, deleted: 1 } });
    expect(emulator.attachments()).toHaveLength(1);
    expect(await workspace.destroy()).toMatchObject({ code: 0 });
  });

  test.each(["", "--refresh"])("goes with the last of those that use it in destroy %s", async (flag) => {
    const { emulator, workspace } = emulated;
    const made = `const train = rental("train", { storageVolume: { isNew: true, label: "scratch", sizeInGb: 512 } });`;
    workspace.writeProgram(program(made));
    expect(await workspace.up()).toMatchObject({ code: 0 });
    const [scratch] = emulator.state().filter(({ kind, billing }) => kind === "storage-volume" && billing);
    const user = `new BareMetalRental("user", { networkType: "infiniband", gpuCount: 8, storageVolume: { isNew: false, id: ${scratch?.id} } }, { dependsOn: train });`;
    workspace.writeProgram(program(made, user));
    expect(await workspace.up()).toMatchObject({ code: 0, summary: { created: 1 } });
    expect(await workspace.destroy(...(flag ? [flag] : []))).toMatchObject({ code: 0 });
    expect(emulator.state().filter(({ billing }) => billing)).toEqual([]);
  });
});
