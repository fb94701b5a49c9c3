import { FakeEngine, type Program } from "../fakeEngine";
import { createRig, paths } from "../rig";
import { answering, intercepting, textOf } from "../wire";

/** A service that answers 404 where it has nothing to list, in these words. */
const sayingThereAreNone = (path: string, message: string) =>
  intercepting((request, send) => {
    if (request.path !== path || request.method !== "GET") return undefined;
    return send().then(async (answer) => {
      const items: { status?: string }[] = JSON.parse(await textOf(answer));
      const isNone = items.every(({ status }) => status === "Terminated");
      return isNone ? answering(404, { error: { code: "NOT_FOUND", message } }) : answering(200, items);
    });
  });

describe("On a service that answers 404 where it has nothing to list", () => {
  test.each<[string, Program[string], string, string]>([
    [
      "rental",
      { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } },
      paths.bareMetal,
      "No rentals found",
    ],
    ["VM", { type: "VmRental", inputs: { gpuCount: 1 } }, paths.vm, "There are no active rentals"],
    [
      "volume",
      { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } },
      paths.volumes,
      "no storage volumes",
    ],
  ])("the first %s is created and the last one ended", async (_, resource, path, message) => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const provider = () => rig.startProvider({}, { wire: sayingThereAreNone(path, message) });
    const up = await stack.up({ it: resource }, { provider: provider() });
    expect(up).toMatchObject({ steps: ["create it"], errors: {} });
    const destroy = await stack.destroy({ provider: provider() });
    expect(destroy).toMatchObject({ steps: ["delete it"], errors: {} });
    expect(rig.billing()).toEqual([]);
  });

  test("one such answer does not mean that what ran a moment ago is gone", async () => {
    const rig = createRig();
    const stack = new FakeEngine(rig);
    const program: Program = { it: { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } } };
    await stack.up(program);
    let isFirst = true;
    const wire = intercepting(({ path, method }) => {
      if (path !== paths.bareMetal || method !== "GET" || !isFirst) return undefined;
      isFirst = false;
      return answering(404, { message: "No rentals found" });
    });
    const { steps } = await stack.up(program, { refresh: true, provider: rig.startProvider({}, { wire }) });
    expect(steps).toEqual(["same it"]);
    expect(rig.billing()).toEqual([1001]);
  });
});
