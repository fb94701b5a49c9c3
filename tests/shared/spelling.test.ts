import { gpuTypes } from "../../provider/shared/offer";
import { offered, regions } from "../../provider/shared/region";
import { nearest, nearestValue } from "../../provider/shared/spelling";

test.each([
  ["gpuCuont", "gpuCount"],
  ["gpucount", "gpuCount"],
  ["maxCostPerHur", "maxCostPerHour"],
])("the name %j is taken for %j", (word, meant) => {
  expect(nearest(word, ["gpuCount", "gpuType", "maxCostPerHour"])).toBe(meant);
});

const values = [...offered(regions.virtualMachine), ...gpuTypes, "infiniband", "ethernet", "cuda12.8", "on-demand"];

test.each([
  ["us-east1", "us-east-1"],
  ["US_EAST_1", "us-east-1"],
  ["us-east", "us-east-1"],
  ["us-cental-1", "us-central-1"],
  ["H100", "h100"],
  ["NVIDIA H100", "h100"],
  ["infinband", "infiniband"],
  ["etherent", "ethernet"],
  ["12.8", "cuda12.8"],
  ["OnDemand", "on-demand"],
])("the value %j is taken for %j", (value, meant) => {
  expect(nearestValue(value, values)).toBe(meant);
});

test.each(["a100", "us-east-9", "us-west-1", "eu-west-3", "1", "", "wifi"])(
  "the value %j is taken for no other",
  (value) => {
    expect(nearestValue(value, values)).toBeUndefined();
  },
);

test("a region for the makers' own tests is not offered", () => {
  expect(offered(regions.virtualMachine)).not.toContain("mock-region");
});
