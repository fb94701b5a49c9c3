import { createEmulator, type DialectName, defaults, dialectNames, type Emulator } from "../../emulator";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";
import { expectSuccess } from "./expectSuccess";

/** The five resources, and a volume that names its rental, on the service of a provider, or on that of the stack. */
const all = `
  const { BareMetalRental, MarketplaceInstance, Provider, StorageVolume, VmRental, VolumeAttachment } = require("pulumi-gpufleet");
  const rentAll = (prefix, options) => {
    const node = new BareMetalRental(prefix + "node", { networkType: "infiniband", gpuCount: 8 }, options);
    const data = new StorageVolume(prefix + "data", { region: "us-central-1", sizeInGb: 256, timeouts: { delete: 5 } }, options);
    new StorageVolume(prefix + "scratch", { region: "us-central-1", sizeInGb: 256, rentalIds: [node.rentalId] }, options);
    new VolumeAttachment(prefix + "link", { storageVolumeId: data.storageVolumeId, rentalIds: [node.rentalId] }, options);
    new VmRental(prefix + "box", { gpuCount: 1 }, options);
    new MarketplaceInstance(prefix + "bargain", { gpuCount: 1, select: {} }, options);
  };
`;

/** Those in which everything can be done. */
const able = dialectNames.filter((name) => name !== "default" && name !== "none");

describe("The dialects of the service, on the real engine", () => {
  let emulated: EmulatedWorkspace;
  const emulators: Emulator[] = [];

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({ program: `${all}rentAll("")` });
  });

  afterAll(async () => {
    await Promise.all(emulators.map((emulator) => emulator.close()));
    await emulated.dispose();
  });

  async function start(dialect: DialectName): Promise<{ emulator: Emulator; url: string }> {
    const emulator = createEmulator({ dialect, provisionSeconds: 0, endSeconds: 0 });
    emulators.push(emulator);
    return { emulator, url: (await emulator.listen()).url };
  }

  test(`${able.join(", ")}: up, unchanged after a refresh, and nothing left that bills after destroy`, async () => {
    const services = await Promise.all(able.map(start));
    const { workspace, dispose } = await createEmulatedWorkspace({
      program: `${all}
        ${JSON.stringify(able)}.forEach((dialect, index) => {
          const baseUrl = ${JSON.stringify(services.map(({ url }) => url))}[index];
          rentAll(dialect + "-", { provider: new Provider(dialect, { baseUrl }) });
        });`,
    });
    const left = () =>
      services.map(({ emulator }, index) => ({
        dialect: able[index],
        made: emulator.state().length,
        billing: emulator.state().filter(({ billing }) => billing).length,
      }));
    try {
      expectSuccess(await workspace.up());
      expect(left()).toEqual(able.map((dialect) => ({ dialect, made: 5, billing: 5 })));
      expectSuccess(await workspace.refresh("--expect-no-changes"));
      expectSuccess(await workspace.destroy());
      expect(left()).toEqual(able.map((dialect) => ({ dialect, made: 5, billing: 0 })));
    } finally {
      await dispose();
    }
  });

  test("none: what cannot be ended stays in the state with an error that says what to configure", async () => {
    const { emulator, url } = await start("none");
    emulated.workspace.env["GPUFLEET_BASE_URL"] = url;
    const up = await emulated.workspace.up();
    expect(up).toMatchObject({ code: 0, summary: { created: 7 } });
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
          `error: .*deleting ${resource}: POST \\S+ answered 404: .*gpufleet:operations, for example {"${operation}"`,
        ),
      );
    }
    expect(destroy.output).toMatch(
      /warning: volume \d+ stays attached to \d+, because the service has no detach operation; the attachment ends with the rental/,
    );
    const { deployment } = emulated.workspace.exportState();
    const left = deployment.resources.map(({ urn }) => urn.split("::").at(-1));
    expect(left).toEqual(expect.arrayContaining(["node", "box", "data", "scratch"]));
    expect(left).not.toContain("bargain");
    expect(emulator.state().filter(({ billing }) => billing)).toHaveLength(4);
  });
});

describe("A volume that stays attached", () => {
  /** Protected, and saves what is on the machine when it is deleted, and fails if that has ended. `seed` may be what the volume depends on. */
  const program = (from: string, url: string, seed = "") => `
    const pulumi = require("@pulumi/pulumi");
    const { BareMetalRental, StorageVolume } = require("${from}");
    const [url, headers] = ["${url}", { authorization: "Bearer ${defaults.apiKey}" }];
    const train = new BareMetalRental("train", { networkType: "infiniband", gpuCount: 8 });
    const nothing = { create: async () => ({ id: "nothing" }) };
    const dependsOn = [${seed && `new pulumi.dynamic.Resource(nothing, "${seed}", {}, { dependsOn: train })`}];
    new StorageVolume("data", { region: "us-central-1", sizeInGb: 256, rentalIds: [train.rentalId] }, { dependsOn });
    new pulumi.dynamic.Resource({
      create: async () => ({ id: "save" }),
      delete: async () => {
        await new Promise((resolve) => setTimeout(resolve, 8000));
        const list = await fetch(url + "/v2/alpha/on-demand/bare-metal-rentals", { headers });
        if (!(await list.text()).includes("Running")) throw new Error("the rental has ended before this");
      },
    }, "save", {}, { dependsOn: train, protect: true });`;

  async function up(front: string, seed?: string): Promise<EmulatedWorkspace> {
    const emulated = await createEmulatedWorkspace({
      program: "",
      plugin: front === "plugin",
      emulator: { dialect: "tied" },
      env: { GPUFLEET_RECONCILE_SECONDS: "1" },
    });
    const from = front === "plugin" ? "pulumi-gpufleet/native" : "pulumi-gpufleet";
    emulated.workspace.writeProgram(program(from, emulated.url, seed));
    expectSuccess(await emulated.workspace.up());
    return emulated;
  }

  test.each(["dynamic", "plugin"])("goes with its rental, after what else needs that (%s)", async (front) => {
    const { workspace, emulator, dispose } = await up(front);
    const refused = await workspace.destroy();
    expect(refused.code).not.toBe(0);
    // The engine leaves what something protected depends on.
    expect(emulator.state().filter(({ billing }) => billing)).toHaveLength(2);
    const destroyed = await workspace.destroy("--ignore-protect");
    expectSuccess(destroyed);
    expect(destroyed.output).toMatch(/rental 1001 must end before the volume can be deleted/);
    expect(emulator.state().filter(({ billing }) => billing)).toEqual([]);
    await dispose();
  });

  test("says what to delete first where the engine does that only after it", async () => {
    const { workspace, emulator, dispose } = await up("plugin", "seed");
    expectSuccess(await workspace.pulumi("state", "unprotect", "--all", "--yes"));
    const { code, output } = await workspace.destroy();
    expect(code).not.toBe(0);
    const [, urn = ""] =
      /save must go, and Pulumi is not deleting that\. Delete it first \(`pulumi destroy --target '(\S+)' --target-dependents`\)/.exec(
        output,
      ) ?? [];
    expectSuccess(await workspace.destroy("--target", urn, "--target-dependents"));
    expectSuccess(await workspace.destroy());
    expect(emulator.state().filter(({ billing }) => billing)).toEqual([]);
    await dispose();
  });
});
