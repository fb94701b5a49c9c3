import { paths } from "../emulator/rig";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";

/** Everything that may go wrong while a create waits, in one program: each kind has a trouble of its own. */
const program = (more: { never: object }) => `
  const { BareMetalRental, MarketplaceInstance, StorageVolume, VmRental } = require("pulumi-gpufleet");
  new BareMetalRental("failed", { networkType: "infiniband", gpuCount: 8 });
  new VmRental("late", { gpuCount: 1, waitForSsh: true });
  new MarketplaceInstance("never", ${JSON.stringify({ gpuCount: 1, select: {}, ...more.never })});
  new StorageVolume("slow", { region: "us-central-1", sizeInGb: 256, timeouts: { create: 5 } });
`;

describe("Creates that have to wait, on the real engine", () => {
  let emulated: EmulatedWorkspace;

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({
      program: program({ never: { waitForSsh: true, timeouts: { create: 14 } } }),
      emulator: { provisionSeconds: 8 },
    });
  });

  afterAll(() => emulated.dispose());

  const kept = async () => {
    const { deployment } = emulated.workspace.exportState();
    return Object.fromEntries(
      deployment.resources
        .filter(({ type }) => type.includes("gpufleet:"))
        .map(({ urn, id, outputs, initErrors }) => [
          urn.split("::").at(-1),
          { id, status: outputs["status"], initErrors },
        ]),
    );
  };

  test("keep in the state what failed, timed out or never answered, and say what it is", async () => {
    emulated.emulator.faults.add(
      { match: { method: "POST", path: paths.bareMetal }, kind: "fail-provisioning" },
      { match: { method: "POST", path: paths.vm }, kind: "late-ssh", seconds: 2 },
      { match: { method: "POST", path: `${paths.instances}/create` }, kind: "no-ssh" },
      { match: { method: "POST", path: paths.volumes }, kind: "reset-after" },
    );
    const { code, output } = await emulated.workspace.up();
    expect(code).toBe(1);
    expect(output).toMatch(
      /creating BareMetalRental "failed": bare-metal rental \d+ changed to Failed\. It is in the state with id \d+\. It costs \$19\.92\/h\. The next `pulumi up` replaces it\./,
    );
    expect(output).toMatch(
      /creating StorageVolume "slow": still inactive after \d+s\. .*It is in the state with id \d+\./,
    );
    expect(output).toMatch(
      /creating MarketplaceInstance "never": running, but ssh on 127\.0\.0\.1:\d+ did not answer within \d+s\. It is in the state with id instance-\w+\./,
    );
    expect(await kept()).toEqual({
      failed: {
        id: expect.stringMatching(/^\d+$/),
        status: "Failed",
        initErrors: [expect.stringContaining("changed to Failed")],
      },
      late: { id: expect.stringMatching(/^\d+$/), status: "Running", initErrors: [] },
      never: {
        id: expect.stringMatching(/^instance-/),
        status: "running",
        initErrors: [expect.stringContaining("ssh")],
      },
      slow: {
        id: expect.stringMatching(/^\d+$/),
        status: "inactive",
        initErrors: [expect.stringContaining("inactive")],
      },
    });
    // The reply to the volume's request was lost; it was found by its label.
    expect(emulated.emulator.requests().counts[`POST ${paths.volumes}`]).toBe(1);
  });

  test("are healed by the next up: the failed one replaced, the slow one waited for", async () => {
    emulated.workspace.writeProgram(program({ never: { waitForSsh: false } }));
    expect(await emulated.workspace.up()).toMatchObject({
      code: 0,
      summary: { replaced: 1, updated: 2 },
    });
    const billing = emulated.emulator.state().filter((made) => made.billing);
    expect(billing.map(({ kind, status }) => `${kind} ${status}`).sort()).toEqual([
      "bare-metal Running",
      "marketplace-instance running",
      "storage-volume active",
      "virtual-machine Running",
    ]);
    expect(await emulated.workspace.preview("--expect-no-changes")).toMatchObject({ code: 0 });
  });

  test("leave nothing that bills after destroy", async () => {
    expect(await emulated.workspace.destroy()).toMatchObject({ code: 0 });
    expect(emulated.emulator.state().filter(({ billing }) => billing)).toEqual([]);
  });
});
