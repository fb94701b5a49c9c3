/** What must hold in a world that is not kind (docs/internals/faults.md, 23 to 32), on the real engine. */
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { createClient } from "../../provider/client";
import { waitUntil } from "../../tools/workspace";
import { paths } from "../emulator/rig";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";

const train = `
  const { BareMetalRental } = require("pulumi-gpufleet");
  new BareMetalRental("train", { networkType: "infiniband", gpuCount: 8 });
`;
const json = { "content-type": "application/json" };
const quick = { GPUFLEET_RECONCILE_SECONDS: "2" };

/**
 * Passes everything on to a service; on request, leaves everything out of its next lists of bare-metal rentals, or refuses the next
 * create of one after it took effect.
 */
async function forward(target: string) {
  let left = 0;
  let refusals = 0;
  const server = createServer((incoming, outgoing) => {
    const isBlank = incoming.method === "GET" && incoming.url === paths.bareMetal && left > 0;
    if (isBlank) left -= 1;
    const isRefused = incoming.method === "POST" && incoming.url === paths.bareMetal && refusals > 0;
    if (isRefused) refusals -= 1;
    const { method, headers } = incoming;
    const passed = send(`${target}${incoming.url}`, { method, headers }, (answer) => {
      if (isBlank) {
        answer.resume();
        outgoing.writeHead(200, json).end("[]");
        return;
      }
      if (isRefused) {
        answer.resume();
        outgoing.writeHead(409, json).end('{"error":"one with this label exists already"}');
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    leaveOut: (lists: number) => {
      left = lists;
    },
    refuseNext: () => {
      refusals = 1;
    },
    close: () => void server.close(),
  };
}

describe("On the real engine", () => {
  let emulated: EmulatedWorkspace;
  afterEach(() => emulated.dispose());

  const billing = (from = emulated) =>
    from.emulator
      .state()
      .filter((made) => made.billing)
      .map(({ id }) => id);
  const up = (...args: string[]) => emulated.workspace.up(...args);

  test("an end that is refused for good fails in seconds, says why and what it bills, and keeps the machine (R21); a gateway's 404 to an end is only a claim (23)", async () => {
    emulated = await createEmulatedWorkspace({ program: train, env: quick });
    expect((await up()).code).toBe(0);
    const end = { method: "POST", path: `${paths.bareMetal}/terminate` };
    const body = { error: "the rental is locked by an administrator" };
    emulated.emulator.faults.add({ match: end, times: 50, kind: "status", status: 400, body });
    const began = Date.now();
    const { code, output } = await emulated.workspace.destroy();
    expect(code).not.toBe(0);
    expect(output).toMatch(
      /the service does not terminate it: .*the rental is locked by an administrator.*It is still Running and costs \$19\.92\/h/,
    );
    expect(Date.now() - began).toBeLessThan(60_000);
    expect(billing()).toHaveLength(1);
    emulated.emulator.faults.clear();
    // The list decides, and the machine is ended all the same.
    const claim = { kind: "status" as const, status: 404, body: { detail: "Not Found" }, headers: json };
    emulated.emulator.faults.add({ match: end, ...claim });
    expect((await emulated.workspace.destroy()).code).toBe(0);
    expect(billing()).toEqual([]);
  });

  test("of two that one request has made both end, also where somebody else has ended the one that the state has (29)", async () => {
    emulated = await createEmulatedWorkspace({ program: train, env: quick });
    const { emulator, url, workspace } = emulated;
    emulator.faults.add({ match: { method: "POST", path: paths.bareMetal }, kind: "twice" });
    expect((await up()).code).toBe(0);
    const [twin, held] = billing();
    const client = createClient({ baseUrl: url, apiKey: "emulator-key" });
    await client.terminateRental({ rentalType: "bare-metal", rentalId: Number(held) });
    await client.close();
    expect(await workspace.refresh()).toMatchObject({
      code: 0,
      output: expect.stringMatching(
        new RegExp(
          `bare-metal rental ${held} no longer exists\\. bare-metal rental ${twin} .*, which was created by the same request, has taken its place\\.`,
        ),
      ),
    });
    expect(workspace.exportState().deployment.resources.at(-1)).toMatchObject({ id: String(twin) });
    expect(await up()).toMatchObject({ code: 0, summary: { created: 0, replaced: 0, unchanged: 2 } });
    expect(billing()).toEqual([twin]);
    expect((await workspace.destroy()).code).toBe(0);
    expect(billing()).toEqual([]);
  });

  test("lists that leave the machine out for a moment do not make it gone: no second one is rented (24)", async () => {
    emulated = await createEmulatedWorkspace({ program: train, refresh: "always", env: quick });
    const between = await forward(emulated.url);
    try {
      emulated.workspace.env["GPUFLEET_BASE_URL"] = between.url;
      expect((await up()).code).toBe(0);
      const before = billing();
      between.leaveOut(4);
      expect((await up()).code).toBe(0);
      expect(billing()).toEqual(before);
    } finally {
      between.close();
    }
  });

  const chosen = `
    const { BareMetalRental, MarketplaceInstance } = require("pulumi-gpufleet");
    new BareMetalRental("train", { networkType: "infiniband", gpuCount: 8, label: "mine" });
    new MarketplaceInstance("bargain", { gpuCount: 1, select: {} });
  `;

  test("a create that is refused after it took effect is in doubt, where nothing proves whose it is: no other one is rented (29)", async () => {
    emulated = await createEmulatedWorkspace({ program: chosen, env: quick });
    const between = await forward(emulated.url);
    try {
      emulated.workspace.env["GPUFLEET_BASE_URL"] = between.url;
      between.refuseNext();
      for (const _ of ["first", "second"]) {
        expect(await up()).toMatchObject({
          code: 1,
          output: expect.stringMatching(/bare-metal rental \d+ "mine" \(.*\) may be it; nothing proves it/),
        });
        expect(billing()).toHaveLength(2);
      }
    } finally {
      between.close();
    }
  });

  test("an id that the service gives to another one is not ours: nothing is read or ended under it, and the error's advice works (33)", async () => {
    emulated = await createEmulatedWorkspace({ program: chosen, env: quick });
    const { emulator, url, workspace } = emulated;
    expect((await up()).code).toBe(0);
    const client = createClient({ baseUrl: url, apiKey: "emulator-key" });
    try {
      for (const { kind, id } of emulator.state()) {
        if (kind === "marketplace-instance") await client.terminateMarketplaceInstance({ id: String(id) });
        else await client.terminateRental({ rentalType: "bare-metal", rentalId: Number(id) });
        emulator.clock.advance(60);
        emulator.reuseId(kind, id, "mine");
      }
      for (const run of [() => workspace.refresh(), () => workspace.destroy()]) {
        const { code, output } = await run();
        expect(code).not.toBe(0);
        expect(
          new Set(output.match(/was created at \S+ there, and this resource's at \S+: it is somebody else's/g)),
        ).toHaveProperty("size", 2);
      }
      for (const { urn } of workspace.exportState().deployment.resources.filter(({ id }) => id)) {
        if (/BareMetalRental|MarketplaceInstance/.test(urn)) await workspace.succeed("state", "delete", urn, "--yes");
      }
      expect((await workspace.destroy()).code).toBe(0);
      expect(billing()).toHaveLength(2);
    } finally {
      await client.close();
    }
  });

  test("another service is refused, by up, refresh and destroy, and both are named, until it is said that it has moved (25)", async () => {
    emulated = await createEmulatedWorkspace({ program: train, refresh: "always", env: quick });
    expect((await emulated.workspace.up()).code).toBe(0);
    const other = await createEmulatedWorkspace({ program: train, env: quick });
    try {
      const client = createClient({ baseUrl: other.url, apiKey: "emulator-key" });
      const foreign = await client.createBareMetalRental({
        networkType: "infiniband",
        gpuCount: 8,
        label: "somebody-elses",
      });
      await client.close();
      expect(String(foreign.id)).toBe(String(billing()[0]));
      emulated.workspace.env["GPUFLEET_BASE_URL"] = other.url;
      for (const { code, output } of [
        await emulated.workspace.up(),
        await emulated.workspace.refresh(),
        await emulated.workspace.destroy(),
      ]) {
        expect(code).not.toBe(0);
        expect(output).toContain(emulated.url);
        expect(output).toContain(other.url);
      }
      expect(billing(other)).toEqual([foreign.id]);
      expect(billing()).toHaveLength(1);
      // The same machine under another address, and a word that it has moved: its label is not ours.
      emulated.workspace.env["GPUFLEET_MOVED_FROM"] = emulated.url;
      const moved = await emulated.workspace.destroy();
      expect(moved.code).not.toBe(0);
      expect(moved.output).toMatch(/somebody else's/);
      expect(billing(other)).toEqual([foreign.id]);
    } finally {
      await other.dispose();
    }
    delete emulated.workspace.env["GPUFLEET_BASE_URL"];
    delete emulated.workspace.env["GPUFLEET_MOVED_FROM"];
    expect((await emulated.workspace.destroy()).code).toBe(0);
    expect(billing()).toEqual([]);
  });

  test("renamed by adoptId in an up that fails elsewhere: machine and volume live, and destroy ends them once (28)", async () => {
    const volume = 'storageVolume: { isNew: true, label: "scratch", sizeInGb: 512 }';
    emulated = await createEmulatedWorkspace({ program: train.replace("gpuCount: 8", `$&, ${volume}`), env: quick });
    expect((await up()).code).toBe(0);
    const [id] = billing();
    expect(billing()).toHaveLength(2);
    emulated.workspace.writeProgram(`
      const { BareMetalRental, VmRental } = require("pulumi-gpufleet");
      new BareMetalRental("renamed", { networkType: "infiniband", gpuCount: 8, adoptId: ${id} });
      new VmRental("other", { gpuCount: 1 });
    `);
    const post = { method: "POST", path: paths.vm };
    emulated.emulator.faults.add({ match: post, kind: "status", status: 400, body: { error: "quota exceeded" } });
    const failed = await up();
    expect(failed.code).not.toBe(0);
    expect(failed.output).toContain(
      "was created with rental 1001, comes with it, and is deleted when this resource ends",
    );
    expect(billing()).toHaveLength(2);
    expect((await up()).code).toBe(0);
    expect(billing()).toContain(id);
    // The program says nothing of the volume, which is no change.
    expect(await up("--expect-no-changes")).toMatchObject({ code: 0 });
    expect((await emulated.workspace.destroy()).code).toBe(0);
    expect(billing()).toEqual([]);
  });

  test("forced replacement, an old name used again after an alias, and what retainOnDelete kept are no leftovers (28)", async () => {
    emulated = await createEmulatedWorkspace({ program: train, env: quick });
    expect((await up()).code).toBe(0);
    const urn = (name: string) => `urn:pulumi:test::workspace::pulumi-nodejs:dynamic/gpufleet:BareMetalRental::${name}`;
    // Without a refresh: nothing but the state itself tells that the machine is known.
    expect((await up("--replace", urn("train"))).code).toBe(0);
    expect(billing()).toHaveLength(1);
    const renamed = `
      const { BareMetalRental } = require("pulumi-gpufleet");
      new BareMetalRental("renamed", { networkType: "infiniband", gpuCount: 8 }, { aliases: [{ name: "train" }] });
    `;
    emulated.workspace.writeProgram(renamed);
    expect((await up()).code).toBe(0);
    const again = 'new BareMetalRental("train", { networkType: "ethernet", gpuCount: 8 });';
    emulated.workspace.writeProgram(renamed.replace(', { aliases: [{ name: "train" }] }', "") + again);
    expect(await up()).toMatchObject({ code: 0 });
    expect(billing()).toHaveLength(2);
    const kept = (gpuCount: number) => `
      const { BareMetalRental } = require("pulumi-gpufleet");
      new BareMetalRental("train", { networkType: "ethernet", gpuCount: ${gpuCount} }, { retainOnDelete: true });
    `;
    emulated.workspace.writeProgram(kept(8));
    expect((await up()).code).toBe(0);
    emulated.workspace.writeProgram(kept(16));
    expect((await up()).code).toBe(0);
    emulated.workspace.writeProgram(kept(24));
    expect((await up()).code).toBe(0);
    expect(billing()).toHaveLength(3);
  });

  test("an attachment that is renamed, or moved to the volume's rentalIds, stays attached (31); in a renamed stack it is detached before its volume is deleted", async () => {
    const fleet = (more: string) => `
      const { BareMetalRental, StorageVolume, VolumeAttachment } = require("pulumi-gpufleet");
      const rental = new BareMetalRental("a", { networkType: "infiniband", gpuCount: 8 });
      ${more}
    `;
    const volume = (inputs = "") =>
      `const volume = new StorageVolume("v", { region: "us-central-1", sizeInGb: 256${inputs} });`;
    const attachment = (name: string) =>
      `new VolumeAttachment("${name}", { storageVolumeId: volume.storageVolumeId, rentalIds: [rental.rentalId] });`;
    emulated = await createEmulatedWorkspace({ program: fleet(volume() + attachment("one")), env: quick });
    const client = createClient({ baseUrl: emulated.url, apiKey: "emulator-key" });
    const detaches = () => {
      const detached = Object.entries(emulated.emulator.requests().counts).filter(([name]) => name.includes("detach"));
      return detached.reduce((sum, [, count]) => sum + count, 0);
    };
    const attached = async () => (await client.listStorageVolumes()).map(({ attachedRentals }) => attachedRentals);
    try {
      expect((await up()).code).toBe(0);
      const pairs = await attached();
      expect(pairs.flat()).toHaveLength(1);
      for (const program of [
        volume() + attachment("renamed"),
        volume(", rentalIds: [rental.rentalId]"),
        volume() + attachment("back"),
      ]) {
        emulated.workspace.writeProgram(fleet(program));
        expect((await up()).code).toBe(0);
        expect(await attached()).toEqual(pairs);
      }
      // What was written says the stack's former name until it changes.
      const before = detaches();
      await emulated.workspace.renameStack("live");
      expect((await emulated.workspace.destroy()).code).toBe(0);
      expect([billing(), detaches()]).toEqual([[], before + 1]);
    } finally {
      await client.close();
    }
  });

  test("a provider whose engine was killed leaves by itself, within seconds (R20)", async () => {
    emulated = await createEmulatedWorkspace({ program: train, emulator: { provisionSeconds: 600 } });
    const running = emulated.workspace.start("up", "--yes", "--skip-preview");
    await waitUntil("the create is under way", () => billing().length === 1);
    await running.kill();
    await waitUntil("the provider leaves", () => emulated.workspace.providers().length === 0, 40);
  });
});
