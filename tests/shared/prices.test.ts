import { priceIn, readPrices, writePrices } from "../../provider/shared/prices";

const book = readPrices(
  '{"h100": 2.5, "H200": {"us-central-1": 3, "default": 4}, "b200": {"eu-west-1": 6}, "storage": 0.0001}',
);

describe("A price book", () => {
  test.each([
    ["by model", { name: "h100", amount: 8 }, 20],
    ["whatever the case of the model", { name: "H100", amount: 8 }, 20],
    ["by region", { name: "h200", amount: 8, region: "us-central-1" }, 24],
    ["by default where the region is not named", { name: "h200", amount: 8, region: "eu-west-1" }, 32],
    ["by default where no region is known", { name: "h200", amount: 1 }, 4],
    ["of storage per GB", { name: "storage", amount: 1024, region: "us-central-1" }, 0.1024],
    ["not in a region that it does not name", { name: "b200", amount: 8, region: "us-central-1" }, undefined],
    ["not of another model", { name: "a100", amount: 8 }, undefined],
  ])("tells a price %s", (_, asked, expected) => {
    const price = priceIn(book, asked);
    if (expected === undefined) expect(price).toBeUndefined();
    else expect(price).toBeCloseTo(expected);
  });

  test("is written as it is read, in one line", () => {
    const text = '{"h100":2.5,"h200":{"us-central-1":3,"default":4},"b200":{"eu-west-1":6},"storage":0.0001}';
    expect(writePrices(book)).toBe(text);
    expect(readPrices(text)).toEqual(book);
  });

  test.each([
    ["no JSON", "h100=2.49", /^must be JSON such as \{"h100": 2\.49, .*\}, not h100=2\.49$/],
    ["a list", "[2]", /^must be an object such as \{.*\}, not \[2\]$/],
    ["a model that does not exist", '{"h10": 2}', /^has no price named "h10"\. Did you mean h100\?$/],
    ["a name far from all", '{"teapot": 2}', /^has no price named "teapot"\. Allowed: h100, h200, b200, storage$/],
    [
      "a region that does not exist",
      '{"h100": {"us-central1": 2}}',
      /^has a price of h100 in "us-central1"\. Did you mean us-central-1\?$/,
    ],
    ["a price in words", '{"h100": "2.49"}', /^must have a number in USD per hour for h100, not "2\.49"$/],
    [
      "a negative price",
      '{"h100": {"default": -1}}',
      /^must have a number in USD per hour for h100 in default, not -1$/,
    ],
  ])("refuses %s", (_, text, message) => {
    expect(() => readPrices(text)).toThrow(message);
  });
});
