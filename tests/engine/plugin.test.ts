import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";

/** What a generated SDK comes to, for programs of these tests. */
const native = `
  const pulumi = require("@pulumi/pulumi");
  const outputs = ["status", "costPerHour", "label", "region", "ssh", "attachments"];
  const resource = (type) => class extends pulumi.CustomResource {
    constructor(name, args, options) {
      super("gpufleet:index:" + type, name, { ...Object.fromEntries(outputs.map((key) => [key, undefined])), ...args }, options);
    }
  };
  const [BareMetalRental, VmRental, StorageVolume, VolumeAttachment, MarketplaceInstance] = [
    "BareMetalRental", "VmRental", "StorageVolume", "VolumeAttachment", "MarketplaceInstance",
  ].map(resource);
`;

describe("The plugin on the real engine", () => {
  let emulated: EmulatedWorkspace;
  const program = (body: string) => `${native}\n${body}`;
  const train = (args = "{ networkType: 'infiniband', gpuCount: 8 }") => `
    const train = new BareMetalRental("train", ${args});
    exports.id = train.id; exports.status = train.status; exports.label = train.label;
  `;

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({ program: "", plugin: true, env: { GPUFLEET_RECONCILE_SECONDS: "1" } });
  });

  afterAll(() => emulated.dispose());

  test("rents, finds everything unchanged, refreshes, replaces and destroys", async () => {
    const { workspace, emulator } = emulated;
    workspace.writeProgram(program(train()));
    const preview = await workspace.preview();
    expect({ code: preview.code, output: preview.output }).toMatchObject({ code: 0 });
    const up = await workspace.up();
    expect({ code: up.code, output: up.output }).toMatchObject({ code: 0 });
    const again = await workspace.preview("--expect-no-changes");
    expect({ code: again.code, output: again.output }).toMatchObject({ code: 0 });
    const refreshed = await workspace.refresh("--expect-no-changes");
    expect({ code: refreshed.code, output: refreshed.output }).toMatchObject({ code: 0 });
    workspace.writeProgram(program(train("{ networkType: 'infiniband', gpuCount: 16 }")));
    const replaced = await workspace.up();
    expect({ code: replaced.code, output: replaced.output }).toMatchObject({ code: 0 });
    const destroyed = await workspace.destroy();
    expect({ code: destroyed.code, output: destroyed.output }).toMatchObject({ code: 0 });
    expect(emulator.state().filter((one) => one.billing)).toEqual([]);
  });
});
