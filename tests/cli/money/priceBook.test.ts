import { type Billable, billablesOf, canBeInBook, PriceBook } from "../../../cli/money";
import { readPrices } from "../../../provider/shared/prices";

const rental = (region: string, costPerHour?: number): Billable => ({
  type: "BareMetalRental",
  name: "train",
  gpus: { model: "h100", count: 8 },
  region,
  ...(costPerHour !== undefined && { costPerHour }),
});

describe("An estimate", () => {
  const learned = (prices: string) => {
    const book = new PriceBook(readPrices(prices));
    book.learn(rental("us-central-1", 19.92));
    return (region: string) => book.estimate(rental(region));
  };

  test("is the price of a similar one in the same region, whatever the book says", () => {
    expect(learned('{"h100": 5}')("us-central-1")).toBeCloseTo(19.92);
  });

  test("is that of the book where none runs in the region", () => {
    expect(learned('{"h100": {"eu-west-3": 5}}')("eu-west-3")).toBe(40);
  });

  test("is that of a similar one elsewhere where the book has none", () => {
    expect(learned("{}")("eu-west-3")).toBeCloseTo(19.92);
  });

  test("of a marketplace instance is never that of the book, which is for rentals", () => {
    const [instance] = billablesOf("MarketplaceInstance", "lab", { gpuCount: 8, select: { gpuModel: "H100" } });
    expect(instance && new PriceBook(readPrices('{"h100": 5}')).estimate(instance)).toBeUndefined();
    expect(instance && canBeInBook(instance)).toBe(false);
    expect(canBeInBook(rental("us-central-1"))).toBe(true);
  });

  test("is not learned from another estimate", () => {
    const book = new PriceBook(readPrices('{"h100": 4}'));
    book.learn({ ...rental("us-central-1", 16), estimated: true });
    expect(book.estimate(rental("us-central-1"))).toBe(32);
  });

  test("has the discount of a reserved term taken off the price of the book", () => {
    const [reserved] = billablesOf("BareMetalRental", "train", {
      gpuType: "h100",
      gpuCount: 8,
      termType: "reserved",
      termPeriodDays: 30,
      discountPercentage: 50,
    });
    expect(reserved && new PriceBook(readPrices('{"h100": 2.49}')).estimate(reserved)).toBeCloseTo(9.96);
  });
});
