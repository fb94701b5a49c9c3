import type { PlannedKind } from "./plan";
import { everyKill, everyLossWithStaleLists, everySingleFault, operations, type Tried } from "./singleFaults";

/** The tests of one program; in two files, so that they run side by side. */
export function testSingleFaults(kinds: PlannedKind[]): void {
  const hold = ({ cases, failures }: Tried) => {
    expect(failures.slice(0, 3).join("\n\n")).toBe("");
    expect(cases).toBeGreaterThan(0);
  };

  describe(kinds.join(" and "), () => {
    test.each(Object.keys(operations))("%s survives every fault on every request", async (operation) => {
      hold(await everySingleFault(kinds, operation));
    });

    test.each(Object.keys(operations))("%s survives every lost reply while lists lag behind", async (operation) => {
      hold(await everyLossWithStaleLists(kinds, operation));
    });

    test.each(Object.keys(operations))("%s survives a kill at every request", async (operation) => {
      hold(await everyKill(kinds, operation));
    });
  });
}
