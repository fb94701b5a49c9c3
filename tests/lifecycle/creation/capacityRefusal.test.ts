import { BadRequestError, ForbiddenError, NotFoundError, OutcomeUnknownError } from "../../../provider/client";
import { isCapacityRefusal } from "../../../provider/lifecycle";

const call = { operation: "createBareMetalRental", method: "POST", path: "/v2/alpha/on-demand/bare-metal-rentals" };
const refused = (status: number, reason: string) => new BadRequestError(call, { status, reason });

test.each([
  "no capacity",
  "no capacity for 8×h100 in us-central-1",
  "No GPU capacity available",
  "insufficient capacity in region eu-west-3",
  "capacity exceeded",
  "the region is at capacity",
  "sold out",
  "h100 is out of stock",
  "not enough GPUs available in us-central-1",
  "not enough h200 available in eu-west-3",
  "gpu_count: 2 GPUs not available on node node-1, 1 free",
  "unavailable in region us-central-1",
  "h100 is not currently available in us-central-1",
  "no nodes left",
])("is want of capacity: %s", (reason) => {
  expect(isCapacityRefusal(refused(400, reason))).toBe(true);
  expect(isCapacityRefusal(refused(422, reason))).toBe(true);
  expect(isCapacityRefusal(new NotFoundError(call, { status: 404, reason }))).toBe(true);
});

test.each([
  "insufficient balance: $3 available",
  "insufficient credits available",
  "label is not available",
  "the label train is not available in this organization",
  "cuda12.9 is not yet available",
  "availability zone must be set",
  "capacity must be a number",
  "GPU quota exceeded: no GPUs available for your account",
  "region is disabled",
])("is not: %s", (reason) => {
  expect(isCapacityRefusal(refused(400, reason))).toBe(false);
});

test("is not a 402, whatever it says", () => {
  expect(isCapacityRefusal(refused(402, "no capacity"))).toBe(false);
});

test("is nothing but a definite no", () => {
  const detail = { status: 403, reason: "no capacity" };
  expect(isCapacityRefusal(new ForbiddenError(call, detail))).toBe(false);
  expect(isCapacityRefusal(new OutcomeUnknownError(call, { ...detail, status: 500 }))).toBe(false);
  expect(isCapacityRefusal(new Error("no capacity"))).toBe(false);
});
