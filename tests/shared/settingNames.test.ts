import * as pulumi from "@pulumi/pulumi";
import { settingProblems } from "../../provider/fronts/plugin/settings";
import { unknownSettings } from "../../provider/shared/settingNames";
import { refuseUnknownSettings } from "../../sdk/unknownSettings";

describe("Settings of the stack's configuration", () => {
  test("that exist, and those of others, are none of our business", () => {
    expect(
      unknownSettings(["gpufleet:maxCostPerHour", "gpufleet:prices", "fleet:count", "aws:region"], "fleet"),
    ).toEqual([]);
  });

  test("that do not exist are named, with what was meant", () => {
    expect(unknownSettings(["gpufleet:maxCostPerHur", "gpufleet:colour"], "fleet")).toEqual([
      "The setting gpufleet:maxCostPerHur does not exist. Did you mean gpufleet:maxCostPerHour? Remove it with `pulumi config rm gpufleet:maxCostPerHur`.",
      "The setting gpufleet:colour does not exist. Available: baseUrl, apiKey, v1BaseUrl, namespace, maxCostPerHour, prices, operations, marketplacePriceUnit, reconcileSeconds, movedFrom, sshKeyFile. Remove it with `pulumi config rm gpufleet:colour`.",
    ]);
  });

  test("are refused in a project of the same name only where they look like one of ours", () => {
    expect(unknownSettings(["gpufleet:maxCostPerHur", "gpufleet:colour", "gpufleet:prices"], "gpufleet")).toEqual([
      "The setting gpufleet:maxCostPerHur does not exist. Did you mean gpufleet:maxCostPerHour? Remove it with `pulumi config rm gpufleet:maxCostPerHur`. If it is one of your own, give it another name.",
    ]);
  });

  test("are held against this by the program and by the plugin", async () => {
    const urn = "urn:pulumi:dev::gpufleet::pulumi:providers:gpufleet::default_0_1_0";
    expect(settingProblems({ maxCostPerHur: "20", colour: "red" }, urn, {})).toEqual([
      expect.stringMatching(/^The setting gpufleet:maxCostPerHur does not exist\. Did you mean/),
    ]);
    expect(settingProblems({ colour: "red" }, urn, {})).toEqual([]);
    await pulumi.runtime.setMocks({ newResource: () => ({ id: "", state: {} }), call: () => ({}) }, "gpufleet");
    pulumi.runtime.setAllConfig({ "gpufleet:colour": "red" });
    expect(refuseUnknownSettings).not.toThrow();
    pulumi.runtime.setAllConfig({ "gpufleet:maxCostPerHur": "20" });
    expect(refuseUnknownSettings).toThrow("The setting gpufleet:maxCostPerHur does not exist");
  });
});

test("An empty price book is refused where it is given, on both fronts", () => {
  const reason = "gpufleet:prices is empty: give prices such as";
  pulumi.runtime.setAllConfig({ "gpufleet:prices": "" });
  expect(refuseUnknownSettings).toThrow(reason);
  pulumi.runtime.setAllConfig({});
  const urn = "urn:pulumi:dev::fleet::pulumi:providers:gpufleet::default_0_1_0";
  expect(settingProblems({ prices: " " }, urn, {})).toEqual([expect.stringContaining(reason)]);
});
