import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { createRig, paths, type Rig } from "../rig";
import { typed } from "../typed";

/** All that the endpoint says before it hangs up; undefined where nobody listens. */
function listenTo({ host, port }: { host: string; port: number }): Promise<string | undefined> {
  return new Promise((resolve) => {
    let said = "";
    const socket = connect(port, host);
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      said += text;
    });
    socket.on("close", () => resolve(said));
    socket.on("error", (error) => {
      if ("code" in error && error.code === "ECONNREFUSED") resolve(undefined);
    });
  });
}

const endpoints = z.object({
  sshNetworking: z.array(z.object({ host: z.string(), port: z.number(), user: z.string() })).length(1),
});
const endpointOf = (record: { providerData?: unknown }) => {
  const [endpoint] = endpoints.parse(record.providerData).sshNetworking;
  if (!endpoint) throw new Error("there is no endpoint");
  return endpoint;
};

const banner = "SSH-2.0-gpufleet-emulator\r\n";

describe("a machine of a listening emulator", () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = createRig({ provisionSeconds: 60, endSeconds: 10 });
    await rig.emulator.listen();
  });
  afterEach(() => rig.emulator.close());

  test("answers with a banner from when it runs until it is ended", async () => {
    const { createBareMetal, endBareMetal } = typed(rig);
    const record = await createBareMetal();
    const endpoint = endpointOf(record);
    expect(endpoint).toMatchObject({ host: "127.0.0.1", user: "ubuntu" });
    expect(await listenTo(endpoint)).toBe("");
    rig.emulator.clock.advance(60);
    expect(await listenTo(endpoint)).toBe(banner);
    await endBareMetal(record.id);
    expect(await listenTo(endpoint)).toBe("");
  });

  test("has an endpoint of its own, whatever its kind", async () => {
    const { createBareMetal, createVm, listMachines, createInstance, listInstances } = typed(rig);
    const [machine] = await listMachines();
    await createInstance({ cluster_name: machine?.cluster_name, node_name: machine?.id, gpu_count: 1 });
    const made = [endpointOf(await createBareMetal()), endpointOf(await createVm())];
    rig.emulator.clock.advance(60);
    const [instance] = await listInstances();
    const [, host = "", port] = /^ssh ubuntu@(\S+) -p (\d+)$/.exec(instance?.sshCommand ?? "") ?? [];
    const all = [...made, { host, port: Number(port) }];
    expect(new Set(all.map((endpoint) => endpoint.port)).size).toBe(3);
    expect(await Promise.all(all.map(listenTo))).toEqual([banner, banner, banner]);
  });

  test("gives its port back when the emulator is reset", async () => {
    const endpoint = endpointOf(await typed(rig).createVm());
    rig.emulator.reset();
    expect(await listenTo(endpoint)).toBeUndefined();
  });

  test("answers late or never if a fault says so", async () => {
    const match = { method: "POST", path: paths.vm };
    rig.emulator.faults.add({ match, kind: "late-ssh", seconds: 30 }, { match, nth: 2, kind: "no-ssh" });
    const { createVm } = typed(rig);
    const [late, never] = [endpointOf(await createVm()), endpointOf(await createVm())];
    rig.emulator.clock.advance(60);
    expect([await listenTo(late), await listenTo(never)]).toEqual(["", ""]);
    rig.emulator.clock.advance(30);
    expect([await listenTo(late), await listenTo(never)]).toEqual([banner, ""]);
  });

  test("gives its port back when the emulator closes", async () => {
    const endpoint = endpointOf(await typed(rig).createVm());
    await rig.emulator.close();
    expect(await listenTo(endpoint)).toBeUndefined();
  });
});

test("a machine made before the emulator listens gets its endpoint then", async () => {
  const rig = createRig({ provisionSeconds: 0 });
  const { createVm, listVms } = typed(rig);
  expect(endpointOf(await createVm())).toEqual({ host: "machine-1001.invalid", port: 22, user: "ubuntu" });
  await rig.emulator.listen();
  const [record] = await listVms();
  expect(await listenTo(endpointOf(record ?? {}))).toBe(banner);
  await rig.emulator.close();
});

test("a machine that is kept across a restart keeps its port", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "gpufleet-data-"));
  const before = createRig({ provisionSeconds: 0, dataDir });
  await before.emulator.listen();
  const endpoint = endpointOf(await typed(before).createVm());
  await before.emulator.close();
  expect(await listenTo(endpoint)).toBeUndefined();
  const after = createRig({ dataDir });
  await after.emulator.listen();
  expect(await listenTo(endpoint)).toBe(banner);
  await after.emulator.close();
  rmSync(dataDir, { recursive: true });
});

test("with ssh off no machine has a port", async () => {
  const rig = createRig({ ssh: false });
  await rig.emulator.listen();
  expect(endpointOf(await typed(rig).createVm()).host).toBe("machine-1001.invalid");
  await rig.emulator.close();
});
