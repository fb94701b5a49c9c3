import { join } from "node:path";
import { type CommentRequest, composeComment } from "../../../../cli/commands/comment/compose";
import { readPrices } from "../../../../provider/shared/prices";
import { goldenFolder } from "../../../golden/makeGolden";

const refused = async (scenario: string, rules: Partial<CommentRequest>) => {
  const preview = join(goldenFolder, scenario, "preview.json");
  return (await composeComment({ preview, format: "markdown", cwd: "/", ...rules }, {})).refused;
};

describe("--max-cost-per-hour", () => {
  test("lets pass what costs less, and what costs exactly as much", async () => {
    expect(await refused("fleet-up", { maxCostPerHour: 1000 })).toEqual([]);
    expect(await refused("fleet-up", { maxCostPerHour: 239.6224 })).toEqual([]);
  });

  test("refuses what costs more", async () => {
    expect(await refused("fleet-up", { maxCostPerHour: 239.6 })).toEqual(["≈ $239.62/h is more than $239.60/h"]);
    // With as many digits as tell them apart.
    expect(await refused("fleet-up", { maxCostPerHour: 239.622 })).toEqual(["≈ $239.6224/h is more than $239.622/h"]);
  });

  test("refuses where a price is not known, for that is not zero", async () => {
    expect(await refused("unknown-prices", { maxCostPerHour: 1000 })).toEqual([
      "$68.22/h is within $1,000.00/h, but 2 prices are unknown",
    ]);
    expect(await refused("create", { maxCostPerHour: 1000 })).toEqual([
      "no price is known, so it may be more than $1,000.00/h",
    ]);
  });

  test("lets unknown prices pass where the caller says so, but not known ones above the limit", async () => {
    expect(await refused("unknown-prices", { maxCostPerHour: 1000, allowUnknownPrices: true })).toEqual([]);
    expect(await refused("unknown-prices", { maxCostPerHour: 68, allowUnknownPrices: true })).toHaveLength(1);
  });

  test("refuses where the preview leaves out what stays", async () => {
    expect(await refused("without-sames", { maxCostPerHour: 1000, price: readPrices('{"h100": 2.49}') })).toEqual([
      "≈ $19.92/h is within $1,000.00/h, but the preview does not show 7 unchanged resources (add --show-sames)",
    ]);
    // What is not shown has prices that are known, or could be: nobody said that these may be left out.
    expect(await refused("without-sames", { maxCostPerHour: 1000, allowUnknownPrices: true })).toEqual([
      "$0.00/h is within $1,000.00/h, not including 1 unknown price, but the preview does not show 7 unchanged resources (add --show-sames)",
    ]);
  });

  test("counts with a price book where the service shows no price, and before it with a single price", async () => {
    const prices = readPrices('{"h100": {"us-central-1": 2.5, "default": 3}, "b200": 5, "storage": 0.0001}');
    expect(await refused("create", { maxCostPerHour: 1, prices })).toEqual(["≈ $42.76/h is more than $1.00/h"]);
    const price = readPrices('{"storage": 0.001}');
    expect(await refused("create", { maxCostPerHour: 1, prices, price })).toEqual(["≈ $45.06/h is more than $1.00/h"]);
  });

  test("refuses a preview that failed", async () => {
    expect(await refused("failed-check", { maxCostPerHour: 1e9 })).toEqual([
      "the preview failed, so the cost is unknown",
    ]);
  });
});

describe("--forbid-data-loss", () => {
  test.each(["volume-loss", "inline-volume-loss", "delete-everything"])("refuses %s", async (scenario) => {
    expect(await refused(scenario, { forbidDataLoss: true })).toEqual([
      expect.stringMatching(/^the contents of (one volume|2 volumes) are lost$/),
    ]);
  });

  test.each(["create", "nothing-changed", "replace", "fleet-down", "left-behind"])("lets %s pass", async (scenario) => {
    expect(await refused(scenario, { forbidDataLoss: true })).toEqual([]);
  });

  test("refuses a preview that failed", async () => {
    expect(await refused("failed-program", { forbidDataLoss: true })).toEqual([
      "the preview failed, so what would be lost is unknown",
    ]);
  });
});
