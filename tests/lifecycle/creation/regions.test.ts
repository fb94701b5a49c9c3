import { FakeEngine } from "../fakeEngine";
import { createRig, paths } from "../rig";
import { answering, intercepting, live } from "../wire";

const train = {
  type: "BareMetalRental",
  inputs: { networkType: "infiniband", gpuCount: 8, fallbackRegions: ["eu-west-4", "uk-central-3"] },
};

/** The first request of a create is answered so, `after` or instead of its effect. */
async function answered(status: number, error: string | object, after = false) {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  let isFirst = true;
  const wire = intercepting(({ method, path }, send) => {
    if (method !== "POST" || path !== paths.bareMetal || !isFirst) return undefined;
    isFirst = false;
    return after ? send().then(() => answering(status, { error })) : answering(status, { error });
  });
  const { errors } = await stack.up({ train }, { provider: rig.startProvider({}, { wire }) });
  return { rig, stack, errors };
}

describe("A region that has no capacity", () => {
  test.each([
    [400, "no capacity for 8×h100 in us-central-1"],
    [409, "no capacity for 8×h100 in us-central-1"],
    [400, "h100 is not available in us-central-1"],
    [422, "insufficient GPU availability"],
    [400, "GPUs are not available"],
    [400, "this GPU type is sold out"],
    [404, "region us-central-1 is unavailable"],
    [400, "No available GPUs in region us-central-1"],
    [400, { code: "INSUFFICIENT_CAPACITY", message: "Please try another region" }],
  ])("(%i %j) gives way to the next", async (status, error) => {
    const { rig, stack, errors } = await answered(status, error);
    expect(errors).toEqual({});
    expect(stack.get("train").outputs["region"]).toBe("eu-west-4");
    expect(live(rig)).toEqual([1001]);
  });

  test.each([
    [402, "insufficient balance: $3.10 available"],
    [402, "payment required: no capacity on your card"],
    [400, "this label is not available"],
    [400, "credit is not available for this account"],
    [409, "rental is not yet available: the request is being processed"],
    [400, "image ubuntu-24 is unavailable"],
  ])("is not meant by %i %s: nothing is asked for in another one", async (status, error) => {
    const { rig, stack, errors } = await answered(status, error);
    expect(errors["train"]).toBe(
      `creating BareMetalRental "train": POST /v2/alpha/on-demand/bare-metal-rentals answered ${status}: ${error}`,
    );
    expect(rig.count("POST", paths.bareMetal)).toBe(0);
    expect(stack.state.size).toBe(0);
  });

  test.each([
    [409, "rental is not yet available: the request is being processed"],
    [400, "no capacity for 8×h100 in us-central-1"],
  ])("(%i %s) is not left for the next one while a machine was made after all", async (status, error) => {
    const { rig, stack, errors } = await answered(status, error, true);
    expect(errors).toEqual({});
    expect(stack.get("train").outputs["region"]).toBe("us-central-1");
    expect(live(rig)).toEqual([1001]);
  });
});
