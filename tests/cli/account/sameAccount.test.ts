import type { Holding } from "../../../cli/account/holdings";
import { groupByAccount, type Seen } from "../../../cli/account/sameAccount";

const addresses = { v2: "https://gpu.example", v1: "https://gpu.example" };
const holding = (more: Partial<Holding>): Holding => ({
  type: "BareMetalRental",
  name: "train",
  id: "1001",
  label: undefined,
  status: "Running",
  marks: undefined,
  account: undefined,
  isLive: true,
  attachedTo: [],
  ...more,
});
const seen = (key: string, ...holdings: Partial<Holding>[]): Seen => ({
  service: { addresses, key, movedFrom: [] },
  holdings: holdings.map(holding),
});

const countOf = (...all: Seen[]) => groupByAccount(all).length;

describe("Two keys are of one account", () => {
  test("where the records have the organization or the user in common, whatever they list", () => {
    const [ada, bob] = [
      ["org 7", "user ada"],
      ["org 7", "user bob"],
    ];
    expect(countOf(seen("a", { account: ada }), seen("b", { id: "2", account: bob }))).toBe(1);
    expect(countOf(seen("a", { account: ["user ada"] }), seen("b", { account: ["user eve"] }))).toBe(2);
  });

  test("but not where each shows another organization of the user, whatever else is of the user alone", () => {
    const ada = { id: "2", account: ["user ada"] };
    const [one, other] = [
      ["org 7", "user ada"],
      ["org 8", "user ada"],
    ].map((account) => ({ account }));
    expect(countOf(seen("a", { ...one }), seen("b", { ...other }))).toBe(2);
    expect(countOf(seen("a", { ...one }, ada), seen("b", { ...other }, ada))).toBe(2);
    expect(countOf(seen("a", { ...one }), seen("b", ada))).toBe(1);
    expect(countOf(seen("a", { ...one }), seen("b", { ...one, id: "3" }, { ...other, id: "4" }))).toBe(1);
  });

  test("where the records do not say whose they are, and one of them is the same to the moment or by its automatic label", () => {
    const createdAt = "2026-01-01T00:00:00.123Z";
    expect(countOf(seen("a", { createdAt }), seen("b", { createdAt }))).toBe(1);
    const label = "train-abvksk-m6km2iyh-aaaaaa";
    expect(countOf(seen("a", { label }), seen("b", { label }))).toBe(1);
    // Ids are counted anew in each account.
    expect(countOf(seen("a", {}), seen("b", {}))).toBe(2);
    expect(countOf(seen("a", { createdAt }), seen("b", { createdAt: "2026-01-01T00:00:00.124Z" }))).toBe(2);
  });

  test("where a third shows that they are; and the same key is the same account, but not at another address", () => {
    const [a, b] = [seen("a", { account: ["user ada"] }), seen("b", { account: ["org 7"] })];
    expect(countOf(a, b)).toBe(2);
    expect(countOf(a, b, seen("c", { account: ["org 7", "user ada"] }))).toBe(1);
    expect(countOf(seen("a"), seen("a"))).toBe(1);
    const elsewhere = {
      ...seen("a"),
      service: { ...seen("a").service, addresses: { v2: "http://x", v1: "http://x" } },
    };
    expect(countOf(seen("a"), elsewhere)).toBe(2);
    // But a label that nobody else has shows that the service has two addresses.
    const at = (label: string) => ({ ...elsewhere, holdings: seen("b", { label }).holdings });
    const label = "train-abvksk-m6km2iyh-aaaaaa";
    expect(countOf(seen("a", { label }), at(label))).toBe(1);
    expect(countOf(seen("a", { label: "train" }), at("train"))).toBe(2);
  });
});
