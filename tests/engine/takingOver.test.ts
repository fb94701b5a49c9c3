import { waitUntil } from "../../tools/workspace";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";
import { expectSuccess } from "./expectSuccess";

/** What one resource has had so far, and another is to have: nothing is ended, detached or rented twice in between. */
describe("On the real engine", () => {
  let emulated: EmulatedWorkspace;

  afterEach(() => emulated.dispose());

  async function start(options: Partial<Parameters<typeof createEmulatedWorkspace>[0]> = {}) {
    emulated = await createEmulatedWorkspace({ program: "", env: { GPUFLEET_RECONCILE_SECONDS: "1" }, ...options });
    return emulated;
  }

  const up = (body: string, ...flags: string[]) => {
    emulated.workspace.writeProgram(`const g = require("pulumi-gpufleet");\n${body}`);
    return emulated.workspace.up(...flags);
  };
  const billing = () =>
    emulated.emulator
      .state()
      .filter((one) => one.billing)
      .map(({ kind, id }) => `${kind} ${id}`);
  const names = () =>
    emulated.workspace
      .exportState()
      .deployment.resources.filter(({ id, type }) => id !== undefined && !type.startsWith("pulumi:providers:"))
      .map(({ urn }) => urn.slice(urn.lastIndexOf("::") + 2));

  test("a failed adoption ends nothing that the program names, although --continue-on-error goes on", async () => {
    await start();
    expectSuccess(
      await up(`
        new g.BareMetalRental("a", { networkType: "infiniband", gpuCount: 8 });
        new g.StorageVolume("data", { region: "us-central-1", sizeInGb: 512 });
      `),
    );
    const before = billing();
    expect(before).toHaveLength(2);
    const failed = await up(
      `
        new g.BareMetalRental("b", { networkType: "infiniband", gpuCount: 8, gpuType: "h200", adoptId: 1001 });
        new g.StorageVolume("data2", { region: "us-central-1", sizeInGb: 256, adoptId: 1 });
      `,
      "--continue-on-error",
    );
    expect(failed.code).not.toBe(0);
    expect(failed.output).toContain("bare-metal rental 1001 is not terminated: the program has it as ");
    expect(failed.output).toContain("storage volume 1 is not terminated: the program has it as ");
    expect(billing()).toEqual(before);
    expectSuccess(
      await up(
        `
          new g.BareMetalRental("b", { networkType: "infiniband", gpuCount: 8, adoptId: 1001 });
          new g.StorageVolume("data2", { region: "us-central-1", sizeInGb: 512, adoptId: 1 });
        `,
        "--continue-on-error",
      ),
    );
    expect(billing()).toEqual(before);
    expect(names().sort()).toEqual(["b", "data2"]);
  });

  test("an attachment that moves to another provider of the stack stays attached", async () => {
    const { emulator, url } = await start();
    const program = (link: string, more = "") => `
      const p = new g.Provider("p", { baseUrl: ${JSON.stringify(url)}, apiKey: "emulator-key" });
      const a = new g.BareMetalRental("a", { networkType: "infiniband", gpuCount: 8 });
      const data = new g.StorageVolume("data", { region: "us-central-1", sizeInGb: 256 });
      const pair = { storageVolumeId: data.storageVolumeId, rentalIds: [a.rentalId] };
      ${link}
      ${more}
    `;
    expectSuccess(await up(program(`new g.VolumeAttachment("link", pair);`)));
    // Something else is created, so that the state is asked before the second process has attached.
    const more = `new g.BareMetalRental("more", { networkType: "infiniband", gpuCount: 8 });`;
    expectSuccess(await up(program(`new g.VolumeAttachment("link2", pair, { provider: p });`, more)));
    expect(names().sort()).toEqual(["a", "data", "link2", "more"]);
    const detached = Object.keys(emulator.requests().counts).filter((request) => request.includes("detach"));
    expect(detached).toEqual([]);
    expect(Object.keys(emulator.requests().counts).join()).toContain("attach");
  });

  describe("dynamic resources and the plugin in one stack, which have a process each,", () => {
    const both = (body: string) => `const n = require("pulumi-gpufleet/native");\n${body}`;
    /** In the former one something is created first, so that it has asked the state before the other one writes. */
    const more = (front: string) => `new ${front}.VmRental("more", { gpuCount: 1 });`;

    test("do not both get one machine", async () => {
      await start({ plugin: true });
      expectSuccess(await up(both(`new g.VmRental("one", { gpuCount: 1 });`)));
      const [machine = ""] = emulated.emulator.state().map(({ id }) => String(id));
      const second = await up(
        both(`
          new g.VmRental("one", { gpuCount: 1 });
          new n.VmRental("two", { gpuCount: 1, adoptId: ${JSON.stringify(machine)} });
        `),
      );
      expect(second.code).not.toBe(0);
      expect(second.output).toContain("already managed, by ");
      expectSuccess(await emulated.workspace.destroy());
      expect(billing()).toEqual([]);
    });

    test.each([
      ["g", "n"],
      ["n", "g"],
    ])("leave attached what moves from %s to %s by another name", async (from, to) => {
      await start({ plugin: true });
      const program = (link: string) =>
        both(`
          const a = new ${from}.BareMetalRental("a", { networkType: "infiniband", gpuCount: 8 });
          const data = new ${from}.StorageVolume("data", { region: "us-central-1", sizeInGb: 256 });
          const pair = { storageVolumeId: data.storageVolumeId, rentalIds: [a.rentalId] };
          ${link}
        `);
      expectSuccess(await up(program(`new ${from}.VolumeAttachment("link", pair);`)));
      expectSuccess(await up(program(`${more(from)} new ${to}.VolumeAttachment("link2", pair);`)));
      expect(emulated.emulator.attachments()).toHaveLength(1);
      expectSuccess(await emulated.workspace.destroy());
      expect(billing()).toEqual([]);
    });
  });

  test("a killed create is not made again by the same program on the plugin", async () => {
    const { emulator, workspace } = await start({ plugin: true, emulator: { provisionSeconds: 3600 } });
    const write = (from: string) =>
      workspace.writeProgram(`
        const { BareMetalRental, MarketplaceInstance } = require(${JSON.stringify(from)});
        new MarketplaceInstance("cheap", { select: { gpuModel: "A100" }, gpuCount: 1 });
        new BareMetalRental("named", { gpuCount: 8, networkType: "ethernet", label: "mine" });
      `);
    write("pulumi-gpufleet");
    const run = workspace.start("up", "--yes", "--skip-preview");
    await waitUntil("both are there", () => emulator.state().filter((one) => one.billing).length === 2);
    await run.kill();
    await workspace.unlock();
    const before = billing();
    write("pulumi-gpufleet/native");
    const moved = await workspace.up();
    expect(moved.code).not.toBe(0);
    expect(moved.output.match(/an earlier run was killed while it created this resource/g)?.length).toBeGreaterThan(1);
    expect(billing()).toEqual(before);
  });
});
