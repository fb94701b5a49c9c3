import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDeployment } from "../../tools/workspace";
import { FakeEngine, type Program } from "./fakeEngine";
import { baseUrl, createRig, paths, type Rig } from "./rig";
import { changingList, live } from "./wire";

const folder = join(__dirname, "..", "states");
const versions = readdirSync(folder)
  .filter((name) => /^\d+\.\d+\.\d+\.json$/.test(name))
  .map((name) => name.replace(/\.json$/, ""));
const prefix = "pulumi-nodejs:dynamic/gpufleet:";

/** The entries of a recorded state that are ours. */
function entriesOf(version: string) {
  const { deployment } = parseDeployment(readFileSync(join(folder, `${version}.json`), "utf8"));
  return deployment.resources.flatMap(({ urn, type, id, inputs = {}, outputs = {} }) =>
    type.startsWith(prefix) && id
      ? [{ name: urn.split("::").at(-1) ?? "", type: type.slice(prefix.length), id, inputs, outputs }]
      : [],
  );
}

type Entry = ReturnType<typeof entriesOf>[number];

/** A service on which everything runs that the state speaks of, under the same ids. */
async function withEverything(entries: readonly Entry[]): Promise<Rig> {
  const rig = createRig();
  const { client } = rig;
  const byName = (name: string) => entries.find((entry) => entry.name === name)?.outputs ?? {};
  const label = (name: string) => String(byName(name)["label"]);
  const node = { networkType: "infiniband", gpuCount: 8 } as const;
  const make = async () => {
    await client.createBareMetalRental({ ...node, label: label("labelled") });
    await client.createStorageVolume({ region: "us-central-1", sizeInGb: 512, label: label("data") });
    const storageVolume = { isNew: true, label: "scratch-disk", sizeInGb: 512 } as const;
    await client.createBareMetalRental({ ...node, gpuType: "h200", label: label("scratch"), storageVolume });
    await client.createBareMetalRental({ ...node, label: label("train"), cudaVersion: "cuda12.8" });
    for (const name of ["head", "fleet-1", "fleet-0"]) await client.createVmRental({ gpuCount: 1, label: label(name) });
    await client.attachStorageVolume({ storageVolumeId: 1, rentalIds: [1003] });
    const { clusterName, nodeName } = byName("bargain");
    await client.createMarketplaceInstance({
      cluster_name: String(clusterName),
      node_name: String(nodeName),
      gpu_count: 1,
    });
  };
  await rig.run(make());
  rig.clock.advance(600);
  return rig;
}

async function resumed(version: string) {
  const entries = entriesOf(version);
  const rig = await withEverything(entries);
  const stack = new FakeEngine(rig, { project: "states" });
  for (const entry of entries) stack.state.set(entry.name, entry);
  const asked = entries.map(({ name, type, inputs }) => {
    const written = Object.entries(inputs).filter(([key]) => !key.startsWith("__"));
    return [name, { type, inputs: Object.fromEntries(written) }];
  });
  const program: Program = Object.fromEntries(asked);
  return { rig, stack, program, billing: rig.billing() };
}

describe.each(versions)("A state of version %s, which does not say where anything is", (version) => {
  test("is read as it is, and says so from the next sighting on", async () => {
    const { stack, program, rig, billing } = await resumed(version);
    expect(JSON.stringify([...stack.state])).not.toContain("__where");
    expect((await stack.refresh()).errors).toEqual({});
    for (const { name, type, outputs } of stack.state.values()) {
      if (type === "FleetReady") continue;
      expect({ name, where: outputs["__where"] }).toEqual({
        name,
        where: expect.objectContaining({ address: baseUrl }),
      });
    }
    const { steps, errors } = await stack.up(program);
    expect({ steps: steps.filter((step) => !step.startsWith("same ")), errors }).toEqual({ steps: [], errors: {} });
    expect(rig.billing()).toEqual(billing);
  });

  test("is unchanged without a refresh, and ends with all that it holds, volumes made along among it", async () => {
    const { stack, program, rig } = await resumed(version);
    const { steps, errors } = await stack.up(program);
    expect({ steps: steps.filter((step) => !step.startsWith("same ")), errors }).toEqual({ steps: [], errors: {} });
    expect((await stack.destroy()).errors).toEqual({});
    expect(rig.billing()).toEqual([]);
  });

  test("is replaced without a leftover", async () => {
    const { stack, program, rig } = await resumed(version);
    const { errors } = await stack.up(program, { replace: ["train", "head"] });
    expect(errors).toEqual({});
    expect(live(rig)).toHaveLength(9);
  });

  test("is not taken for gone by lists that leave things out, nor for another account's", async () => {
    const { stack, rig } = await resumed(version);
    const size = stack.state.size;
    const wire = changingList(paths.vm, () => []);
    expect(Object.keys((await stack.refresh(rig.startProvider({}, { wire }))).errors).sort()).toEqual([
      "fleet-0",
      "fleet-1",
      "head",
    ]);
    const theirs = changingList(paths.bareMetal, (items) => items.map((item) => ({ ...item, label: "theirs" })));
    const { errors } = await stack.destroy({ provider: rig.startProvider({}, { wire: theirs }) });
    expect(errors["train"]).toMatch(/somebody else's/);
    expect(live(rig)).toEqual(expect.arrayContaining([1001, 1002, 1003]));
    expect(stack.state.size).toBeLessThan(size);
  });
});
