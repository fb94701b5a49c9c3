import { createRig, paths } from "./rig";
import { Stack } from "./stack";

const rental = { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } };

test("a create waits until it is ready", async () => {
  const rig = createRig();
  const stack = new Stack(rig);
  const outcome = await stack.up({ train: rental });
  expect(outcome.errors).toEqual({});
  expect(stack.get("train").outputs).toMatchObject({ status: "Running" });
  expect((await stack.up({ train: rental })).steps).toEqual(["same train"]);
  expect(rig.count("POST", paths.bareMetal)).toBe(1);
  console.log(outcome.provider.shown, stack.get("train"));
  expect((await stack.destroy()).steps).toEqual(["delete train"]);
  expect(rig.billing()).toEqual([]);
});
