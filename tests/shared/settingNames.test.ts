import { unknownSettings } from "../../provider/shared/settingNames";

describe("Settings of the stack's configuration", () => {
  test("that exist, and those of others, are none of our business", () => {
    expect(unknownSettings(["gpufleet:maxCostPerHour", "gpufleet:prices", "fleet:count", "aws:region"])).toEqual([]);
  });

  test("that do not exist are named, with what was meant", () => {
    expect(unknownSettings(["gpufleet:maxCostPerHur", "gpufleet:colour"])).toEqual([
      "The setting gpufleet:maxCostPerHur does not exist. Did you mean gpufleet:maxCostPerHour? Remove it with `pulumi config rm gpufleet:maxCostPerHur`.",
      "The setting gpufleet:colour does not exist. Available: baseUrl, apiKey, v1BaseUrl, namespace, maxCostPerHour, prices, operations, marketplacePriceUnit, reconcileSeconds, movedFrom, sshKeyFile. Remove it with `pulumi config rm gpufleet:colour`.",
    ]);
  });
});
