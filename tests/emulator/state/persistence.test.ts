import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { createEmulator } from "../../../emulator";
import { Child, compileCommand } from "../childProcess";
import { createRig, paths } from "../rig";
import { typed } from "../typed";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "gpufleet-data-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const journal = () => join(dataDir, "journal.jsonl");

/** Everything that can be asked of a service. */
async function everything(rig: ReturnType<typeof createRig>) {
  const { listBareMetal, listVms, listVolumes, listInstances, listMachines, balance } = typed(rig);
  return {
    state: rig.emulator.state(),
    bareMetal: await listBareMetal(),
    vms: await listVms(),
    volumes: await listVolumes(),
    instances: await listInstances(),
    machines: await listMachines(),
    balance: await balance(),
    now: rig.emulator.clock.now(),
  };
}

async function fill(rig: ReturnType<typeof createRig>) {
  const { createBareMetal, createVm, createVolume, listMachines, createInstance, endVm } = typed(rig);
  const { id } = await createBareMetal({
    label: "train",
    storageVolume: { isNew: true, label: "scratch", sizeInGb: 300 },
  });
  const { storageVolumeId } = await createVolume({ rentalIds: [id] });
  await rig.ok("POST", `${paths.volumes}/detach`, { storageVolumeId, rentalIds: [id] });
  await endVm((await createVm({ customPorts: [80] })).id);
  const [machine] = await listMachines();
  await createInstance({ cluster_name: machine?.cluster_name, node_name: machine?.id, gpu_count: 1 });
  await rig.ok("POST", "/v1/audio/generation", { text: "hello" });
  rig.emulator.clock.advance(600);
  await createVm({ termType: "reserved", discountPercentage: 10 });
}

test("everything is as it was after a restart, and goes on from there", async () => {
  const before = createRig({ dataDir });
  await fill(before);
  const was = await everything(before);
  await before.emulator.close();
  const after = createRig({ dataDir });
  expect(await everything(after)).toEqual(was);
  const { id } = await typed(after).createVm();
  expect(id).toBe(1004);
  await after.emulator.close();
});

test("a start writes the journal anew, a line per record", async () => {
  const first = createRig({ dataDir });
  await fill(first);
  for (let second = 0; second < 5; second++) first.emulator.clock.advance(1);
  await first.emulator.close();
  const lines = () => readFileSync(journal(), "utf8").trimEnd().split("\n").length;
  const grown = lines();
  await createRig({ dataDir }).emulator.close();
  // Three rentals, two volumes, two attachments, an instance, an inference, the clock.
  expect(lines()).toBe(10);
  expect(grown).toBeGreaterThan(10);
  await createRig({ dataDir }).emulator.close();
  expect(lines()).toBe(10);
});

test("a line that was being written when the process died is passed over", async () => {
  const before = createRig({ dataDir });
  await fill(before);
  const was = await everything(before);
  await before.emulator.close();
  appendFileSync(journal(), '[{"kind":"rental","record":{"id":10');
  const after = createRig({ dataDir });
  expect(await everything(after)).toEqual(was);
  await typed(after).createVm();
  await after.emulator.close();
  expect(createRig({ dataDir }).emulator.state()).toHaveLength(was.state.length + 1);
});

test("a journal of an early version is read", async () => {
  const before = createRig({ dataDir });
  await fill(before);
  const was = await everything(before);
  await before.emulator.close();
  const names = new Map([
    ["storageVolume", "volume"],
    ["marketplaceInstance", "instance"],
  ]);
  const early = readFileSync(journal(), "utf8").replaceAll(
    /\{"kind":"(rental|storageVolume|attachment|marketplaceInstance|inference|clock)","record":/g,
    (_, kind: string) => `{"of":"${names.get(kind) ?? kind}","is":`,
  );
  expect(early).not.toContain('"record":');
  writeFileSync(journal(), early);
  expect(await everything(createRig({ dataDir }))).toEqual(was);
});

test("a line that is broken in the middle is an error that names it, not a loss", () => {
  writeFileSync(journal(), '[]\n{"nonsense":true}\n[]\n');
  expect(() => createEmulator({ dataDir })).toThrow(
    `cannot read line 2 of ${journal()}; move the file away to start without its data`,
  );
  expect(readFileSync(journal(), "utf8")).toContain("nonsense");
});

test("a reset is kept too", async () => {
  const before = createRig({ dataDir });
  await fill(before);
  before.emulator.reset();
  await before.emulator.close();
  const after = createRig({ dataDir });
  expect(after.emulator.state()).toEqual([]);
  expect(after.emulator.clock.now()).toBe(createRig().emulator.clock.now());
});

test("whatever was answered is there after kill -9, in the midst of work", async () => {
  const { script, dispose } = compileCommand();
  const start = () => new Child(script, ["emulator", "--data", dataDir]);
  const list = async (url: string) => {
    const answer = await fetch(`${url}/_emulator/state`);
    return z.array(z.object({ id: z.number(), label: z.string() })).parse(await answer.json());
  };
  try {
    const first = start();
    const url = await first.listening();
    const answered: number[] = [];
    let killed = false;
    const create = async (label: string) => {
      const answer = await fetch(`${url}${paths.vm}`, {
        method: "POST",
        headers: { authorization: "Bearer emulator-key" },
        body: JSON.stringify({ gpuCount: 1, label }),
      });
      answered.push(z.object({ id: z.number() }).parse(await answer.json()).id);
    };
    const worker = async (name: string) => {
      for (let made = 0; !killed; made++) await create(`${name}-${made}`).catch(() => undefined);
    };
    const workers = ["a", "b", "c", "d"].map(worker);
    while (answered.length < 50) await new Promise((resolve) => setImmediate(resolve));
    await first.kill("SIGKILL");
    killed = true;
    await Promise.all(workers);
    const second = start();
    const kept = (await list(await second.listening())).map(({ id }) => id);
    expect(kept).toEqual(expect.arrayContaining(answered));
    // At most what was under way when it died is there beyond that.
    expect(kept.length).toBeLessThanOrEqual(answered.length + workers.length);
    await second.kill("SIGKILL");
  } finally {
    dispose();
  }
});
