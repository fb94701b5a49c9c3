import { handlers } from "../../../provider";
import { importedKey, originKey, type StateEntry, unseenKey, type Values } from "../../../provider/lifecycle";
import { FakeEngine } from "../fakeEngine";
import { createRig, type ProviderProcess, paths, type Rig } from "../rig";
import { changingList } from "../wire";

const fields = { networkType: "infiniband" as const, gpuCount: 8 };
const rental = (more: Values = {}) => ({ type: "BareMetalRental", inputs: { ...fields, label: "by-hand", ...more } });

function handlerOf(type: string) {
  const handler = handlers.get(type);
  if (!handler?.import) throw new Error(`${type} cannot be imported`);
  return { ...handler, import: handler.import };
}

/** Imports a machine into a state, as the engine does it before it compares anything. */
async function importing(
  rig: Rig,
  stack: FakeEngine,
  { type, name, id }: { type: string; name: string; id: string },
  provider: ProviderProcess = rig.startProvider(),
) {
  const origin = { [originKey]: `organization/${stack.urn(type, name)}` };
  const { inputs, outputs } = await rig.run(handlerOf(type).import(provider, id, origin));
  stack.state.set(name, { name, type, id, inputs, outputs: { ...origin, ...outputs } });
  return inputs;
}

async function withRental() {
  const rig = createRig();
  const made = { ...fields, label: "by-hand", cudaVersion: "cuda12.8", monitoringEnabled: true } as const;
  await rig.run(rig.client.createBareMetalRental(made));
  rig.clock.advance(3600);
  const stack = new FakeEngine(rig);
  const byHand = { type: "BareMetalRental", name: "train", id: "1001" };
  return { rig, stack, byHand };
}

describe("An input that the record of an imported machine does not show", () => {
  test("is taken from the program in place, once, and replaces when it changes later", async () => {
    const { rig, stack, byHand } = await withRental();
    await importing(rig, stack, byHand);
    expect((await stack.up({ train: rental() })).steps).toEqual(["same train"]);
    const named = rental({ cudaVersion: "cuda12.8" });
    expect(await stack.up({ train: named })).toMatchObject({ steps: ["update train"], errors: {} });
    expect(stack.get("train")).toMatchObject({ id: "1001", outputs: { cudaVersion: "cuda12.8" } });
    expect((await stack.up({ train: named }, { refresh: true })).steps).toEqual(["same train"]);
    // It is still unknown whether it is monitored.
    const monitored = rental({ cudaVersion: "cuda12.8", monitoringEnabled: true });
    expect((await stack.up({ train: monitored }, { refresh: true })).steps).toEqual(["update train"]);
    expect(rig.billing()).toEqual([1001]);
    const other = rental({ cudaVersion: "cuda12.9", monitoringEnabled: true });
    expect((await stack.up({ train: other })).steps).toEqual(["replace train", "delete train"]);
  });

  test("does not hide that one which it does show differs", async () => {
    const { rig, stack, byHand } = await withRental();
    await importing(rig, stack, byHand);
    expect((await stack.up({ train: rental({ cudaVersion: "cuda12.8", gpuCount: 16 }) })).steps).toEqual([
      "replace train",
      "delete train",
    ]);
  });

  test("stays noted over a refresh", async () => {
    const { rig, stack, byHand } = await withRental();
    await importing(rig, stack, byHand);
    await stack.refresh();
    expect(stack.get("train").outputs[unseenKey]).toEqual(expect.arrayContaining(["cudaVersion"]));
    expect((await stack.up({ train: rental({ cudaVersion: "cuda12.8" }) })).steps).toEqual(["update train"]);
  });
});

describe("What a stack created under its former name", () => {
  async function renamed() {
    const rig = createRig();
    const former = new FakeEngine(rig, { stack: "former" });
    await former.up({ train: { type: "BareMetalRental", inputs: fields }, other: rental() });
    const stack = new FakeEngine(rig, { stack: "renamed" });
    const { id, type } = former.get("train");
    const { outputs } = former.get("other");
    const other: StateEntry = { urn: stack.urn(type, "other"), type, id: former.get("other").id, outputs };
    const importWith = (...entries: StateEntry[]) => {
      const provider = rig.startProvider();
      provider.state = { ...provider.state, entries: async () => entries };
      return importing(rig, stack, { type, name: "train", id }, provider);
    };
    return { id, other, importWith };
  }

  test("is imported where another of its resources tells the name", async () => {
    const { other, importWith } = await renamed();
    expect(await importWith(other)).toMatchObject(fields);
  });

  test("is refused where none does, with the way that works", async () => {
    const { id, importWith } = await renamed();
    await expect(importWith()).rejects.toThrow(
      `its label shows that another stack created it. If this stack was called otherwise then, take it over with adoptId: ${id}.`,
    );
  });
});

describe("An imported marketplace instance", () => {
  async function withInstance() {
    const rig = createRig();
    const [machine] = (await rig.run(rig.client.listMarketplaceMachines({ filters: {} }))).instances;
    if (!machine) throw new Error("the marketplace is empty");
    const place = { clusterName: machine.cluster_name, nodeName: machine.id };
    const { instanceId } = await rig.run(
      rig.client.createMarketplaceInstance({
        cluster_name: place.clusterName,
        node_name: place.nodeName,
        gpu_count: 1,
        image: { name: "trainer" },
      }),
    );
    rig.clock.advance(3600);
    const instance = { type: "MarketplaceInstance", name: "cheap", id: instanceId };
    const program = { cheap: { type: instance.type, inputs: { ...place, gpuCount: 1, image: { name: "trainer" } } } };
    return { rig, stack: new FakeEngine(rig), instance, place, program };
  }

  /** A wire on which some fields of the instances are missing. */
  const without = (...names: string[]) =>
    changingList(paths.instances, (items) =>
      JSON.parse(JSON.stringify(items, (key, value: unknown) => (names.includes(key) ? undefined : value))),
    );

  test("has the machine that lists it, also where its own record does not say, and its image is the program's", async () => {
    const { rig, stack, instance, place, program } = await withInstance();
    const provider = rig.startProvider({}, { wire: without("node_name", "cluster_name") });
    expect(await importing(rig, stack, instance, provider)).toMatchObject({ ...place, gpuCount: 1 });
    expect(stack.get("cheap").outputs).toMatchObject({ costPerHour: expect.any(Number), machine: {} });
    expect((await stack.up(program)).steps).toEqual(["update cheap"]);
    expect((await stack.up(program, { refresh: true })).steps).toEqual(["same cheap"]);
    expect(rig.billing()).toEqual([instance.id]);
  });

  test("passes the check as one that is adopted where nothing shows its machine", async () => {
    const { rig, stack, instance, program } = await withInstance();
    rig.fault({ match: { method: "POST", path: paths.machines }, times: 99, kind: "status", status: 403 });
    const provider = rig.startProvider({}, { wire: without("node_name", "cluster_name") });
    const inputs = await importing(rig, stack, instance, provider);
    expect(inputs).toMatchObject({ adoptId: instance.id, gpuCount: 1 });
    expect(handlerOf(instance.type).check(rig.startProvider(), inputs, inputs).failures).toEqual([]);
    expect((await stack.up(program)).steps).toEqual(["update cheap"]);
    expect((await stack.up(program)).steps).toEqual(["same cheap"]);
    expect(rig.billing()).toEqual([instance.id]);
  });

  test("is refused where even the number of its GPUs is not shown", async () => {
    const { rig, stack, instance } = await withInstance();
    const provider = rig.startProvider({}, { wire: without("gpu_count") });
    await expect(importing(rig, stack, instance, provider)).rejects.toThrow(
      new RegExp(
        `^importing MarketplaceInstance "cheap": marketplace instance ${instance.id} \\(.*\\) cannot be imported: the service does not show its gpuCount\\. Set adoptId: ${instance.id} in the program instead\\.$`,
      ),
    );
  });
});

describe("With the option import, a machine that differs from the program", () => {
  test("is an error of the run that imports it, a preview included, and no replacement", async () => {
    const { rig, stack, byHand } = await withRental();
    const provider = rig.startProvider();
    await importing(rig, stack, byHand, provider);
    const { steps, errors } = await stack.up({ train: rental({ gpuCount: 16 }) }, { provider });
    expect(steps).toEqual([]);
    expect(errors).toEqual({
      train:
        "bare-metal rental 1001 cannot be imported, because it differs from the program: gpuCount is 8. Correct the program or the " +
        `id. If the state has it by now, nothing terminates it; \`pulumi state delete '${stack.urn("BareMetalRental", "train")}'\` takes it out.`,
    });
  });

  test("is an error, too, where only the rentals of an attachment differ: nothing is attached", async () => {
    const { rig, stack, byHand } = await withRental();
    await rig.run(rig.client.createBareMetalRental(fields));
    const volume = { region: "us-central-1" as const, label: "data", sizeInGb: 256, rentalIds: [1001] };
    const { storageVolumeId } = await rig.run(rig.client.createStorageVolume(volume));
    rig.clock.advance(600);
    const link = { ...byHand, type: "VolumeAttachment", name: "link", id: `${storageVolumeId}:1001` };
    const provider = rig.startProvider();
    await importing(rig, stack, link, provider);
    const inputs = { storageVolumeId, rentalIds: [1001, 1002] };
    const { errors } = await stack.up({ link: { type: "VolumeAttachment", inputs } }, { provider });
    expect(errors["link"]).toContain("cannot be imported, because it differs from the program: rentalIds is [1001].");
    expect(rig.count("POST", paths.attach)).toBe(0);
  });

  test("stays when its entry is deleted, whatever asks for that and whatever else the state says", async () => {
    const { rig, stack, byHand } = await withRental();
    await importing(rig, stack, byHand);
    const provider = rig.startProvider();
    const { outputs } = stack.get("train");
    await rig.run(handlerOf(byHand.type).delete(provider, "1001", { ...outputs, [importedKey]: true }));
    expect(rig.billing()).toEqual([1001]);
    expect(provider.shown.filter(({ kind }) => kind === "warning").map(({ text }) => text)).toEqual([
      "bare-metal rental 1001 is left as it is, and costs $19.92/h: it was imported, and no `pulumi up` has completed since with a program that agrees with it. If it is yours, remove it in the service's console",
    ]);
  });
});
