import { createRig } from "../rig";

test.each([
  [1, "Your request for 1 GPU was received."],
  [512, "Your request for 512 GPUs was received."],
])("a reservation of %d is confirmed", async (gpuCount, message) => {
  const { ok } = createRig();
  expect(await ok("POST", "/v2/alpha/on-demand/request-reservation", { gpuCount })).toEqual({ message });
});
