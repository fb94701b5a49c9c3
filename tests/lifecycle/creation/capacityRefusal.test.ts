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
  "No available GPUs in region us-central-1",
  "No available h100 instances",
  "no available 8×h100 nodes",
  "There are no free nodes",
  "Insufficient GPUs",
  "Not enough available GPUs",
  "we are out of GPUs",
  "No machines with 8 h100 GPUs in region us-central-1",
  "no offers available",
  "Insufficient resources",
  "region us-central-1 is full",
  "Requested configuration is currently unavailable",
  "insufficient_capacity",
  "CAPACITY_EXCEEDED",
  "cuda 12.9 is not available in this region",
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
  "INSUFFICIENT_BALANCE: no free GPUs",
  "image ubuntu-24 is not available",
  "cuda version not available",
  "no free addresses for instances",
  "insufficient permissions to create resources",
  "gpuCount is out of range for these GPUs",
  "network configuration is not available",
])("is not: %s", (reason) => {
  expect(isCapacityRefusal(refused(400, reason))).toBe(false);
});

test.each([
  ["INSUFFICIENT_CAPACITY", "Please try another region", true],
  ["InsufficientInstanceCapacity", "Please try another region", true],
  ["NO_CAPACITY", "insufficient balance", false],
  ["INSUFFICIENT_BALANCE", "no capacity on your card", false],
  ["BAD_REQUEST", "Please try another region", false],
  ["CONFLICT", "no free nodes", true],
])("the code %s with the words %j: %s", (code, reason, expected) => {
  expect(isCapacityRefusal(new BadRequestError(call, { status: 400, reason, code }))).toBe(expected);
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
