import { createEmulator, type DialectName, dialectNames, type Emulator } from "../../emulator";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";

const program = `
  const { BareMetalRental, MarketplaceInstance, StorageVolume, VmRental, VolumeAttachment } = require("pulumi-gpufleet");
  const node = new BareMetalRental("node", { networkType: "infiniband", gpuCount: 8 });
  const data = new StorageVolume("data", { region: "us-central-1", sizeInGb: 256, timeouts: { delete: 5 } });
  new VolumeAttachment("link", { storageVolumeId: data.storageVolumeId, rentalIds: [node.rentalId] });
  new VmRental("box", { gpuCount: 1 });
  new MarketplaceInstance("bargain", { gpuCount: 1, select: {} });
`;

/** Those in which everything can be done. */
const able = dialectNames.filter((name) => name !== "default" && name !== "none");

describe("The dialects of the service, on the real engine", () => {
  let emulated: EmulatedWorkspace;
  const emulators: Emulator[] = [];

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({ program });
  });

  afterAll(async () => {
    await Promise.all(emulators.map((emulator) => emulator.close()));
    await emulated.dispose();
  });

  /** The same stack on a service that speaks another dialect: the environment wins over the configuration. */
  async function speak(dialect: DialectName): Promise<Emulator> {
    const emulator = createEmulator({ dialect, provisionSeconds: 0, endSeconds: 0 });
    emulators.push(emulator);
    emulated.workspace.env["GPUFLEET_BASE_URL"] = (await emulator.listen()).url;
    return emulator;
  }

  test.each(able)("%s: up, unchanged after a refresh, and nothing left that bills after destroy", async (dialect) => {
    const emulator = await speak(dialect);
    expect(await emulated.workspace.up()).toMatchObject({ code: 0, summary: { created: 6 } });
    expect(await emulated.workspace.refresh("--expect-no-changes")).toMatchObject({ code: 0 });
    expect(await emulated.workspace.destroy()).toMatchObject({ code: 0, summary: { deleted: 6 } });
    expect(emulator.state()).toHaveLength(4);
    expect(emulator.state().filter(({ billing }) => billing)).toEqual([]);
  });

  test("none: what cannot be ended stays in the state with an error that says what to configure", async () => {
    const emulator = await speak("none");
    const up = await emulated.workspace.up();
    expect(up).toMatchObject({ code: 0, summary: { created: 6 } });
    expect(up.output).toContain(
      "warning: could not check whether it is ready: GET /v2/alpha/on-demand/virtual-machine-rentals",
    );

    const refresh = await emulated.workspace.refresh("--expect-no-changes");
    expect(refresh.code).toBe(0);
    expect(refresh.output).toContain(
      "warning: could not be verified: the service has no list of virtual-machine rentals. The state is kept",
    );

    const destroy = await emulated.workspace.destroy("--continue-on-error");
    expect(destroy.code).not.toBe(0);
    for (const [resource, operation] of [
      ['BareMetalRental "node"', "terminateBareMetalRental"],
      ['VmRental "box"', "terminateVmRental"],
    ]) {
      expect(destroy.output).toMatch(
        new RegExp(
          `error: deleting ${resource}: POST \\S+ answered 404: .*gpufleet:operations, for example {"${operation}"`,
        ),
      );
    }
    expect(destroy.output).toMatch(
      /warning: volume \d+ stays attached to \d+, because the service has no detach operation; the attachment ends with the rental/,
    );
    const { deployment } = await emulated.workspace.exportState();
    const left = deployment.resources.map(({ urn }) => urn.split("::").at(-1));
    expect(left).toEqual(expect.arrayContaining(["node", "box", "data"]));
    expect(left).not.toContain("bargain");
    expect(emulator.state().filter(({ billing }) => billing)).toHaveLength(3);
  });
});
