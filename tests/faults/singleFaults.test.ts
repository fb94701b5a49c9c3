import { plannedKinds } from "./plan";
import { everyKill, everyLossWithStaleLists, everySingleFault, operations } from "./singleFaults";

jest.setTimeout(300_000);

/** One program for each kind of resource; the last needs the others. */
const programs = plannedKinds.map((kind) =>
  kind === "attachment" ? (["volume", "bare", "attachment"] as const).slice() : [kind],
);

for (const kinds of programs) {
  describe(kinds.join(" and "), () => {
    test.each(Object.keys(operations))("%s survives every fault on every request", async (operation) => {
      const { cases, failures } = await everySingleFault(kinds, operation);
      expect(failures.slice(0, 3).join("\n\n")).toBe("");
      expect(cases).toBeGreaterThan(30);
    });

    test.each(Object.keys(operations))("%s survives every lost reply while lists lag behind", async (operation) => {
      expect((await everyLossWithStaleLists(kinds, operation)).failures.slice(0, 3).join("\n\n")).toBe("");
    });

    test.each(Object.keys(operations))("%s survives a kill at every request", async (operation) => {
      expect((await everyKill(kinds, operation)).failures.slice(0, 3).join("\n\n")).toBe("");
    });
  });
}
