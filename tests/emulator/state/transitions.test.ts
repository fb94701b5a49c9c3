import fc from "fast-check";
import { begin, beginFailing, end, phaseAt, statusAt } from "../../../emulator/state";

const minute = 60_000;

describe("a bare-metal rental", () => {
  const life = begin(0, 10 * minute, false);

  test.each([
    [0, "Pending"],
    [10 * minute - 1, "Pending"],
    [10 * minute, "Running"],
    [999 * minute, "Running"],
  ])("is, at %d ms, %s", (at, status) => {
    expect(statusAt("bare-metal", life, at)).toBe(status);
  });

  test("is Terminating from the request and Terminated when that has taken its time", () => {
    const ending = end(life, 20 * minute, 2 * minute);
    expect([19, 20, 21, 22].map((at) => statusAt("bare-metal", ending, at * minute))).toEqual([
      "Running",
      "Terminating",
      "Terminating",
      "Terminated",
    ]);
  });

  test("that is ended while Pending never runs", () => {
    const ending = end(life, 5 * minute, 20 * minute);
    expect([4, 6, 11, 25].map((at) => statusAt("bare-metal", ending, at * minute))).toEqual([
      "Pending",
      "Terminating",
      "Terminating",
      "Terminated",
    ]);
  });

  test("that fails stays Failed until it is ended", () => {
    const failing = begin(0, minute, true);
    expect(statusAt("bare-metal", failing, minute)).toBe("Failed");
    expect(statusAt("bare-metal", end(failing, 2 * minute, 0), 2 * minute)).toBe("Terminated");
  });
});

test("a virtual machine that fails is over with that, and still says Failed", () => {
  const doomed = beginFailing(0, minute);
  expect(phaseAt(doomed, minute)).toBe("ended");
  expect(statusAt("virtual-machine", doomed, minute - 1)).toBe("Pending");
  expect(statusAt("virtual-machine", doomed, minute)).toBe("Failed");
});

test("a marketplace instance is creating, then starting, then running", () => {
  const life = begin(0, 10 * minute, false);
  expect([0, 4, 5, 9, 10].map((at) => statusAt("marketplace-instance", life, at * minute))).toEqual([
    "creating",
    "creating",
    "starting",
    "starting",
    "running",
  ]);
});

test("phases only ever go forward", () => {
  const order = ["absent", "starting", "ready", "failed", "ending", "ended"];
  const time = fc.integer({ min: 0, max: 1000 });
  fc.assert(
    fc.property(time, time, time, fc.boolean(), time, time, (made, takes, endsAfter, fails, one, other) => {
      const life = end(begin(made, takes, fails), made + endsAfter, 7);
      const [earlier, later] = [Math.min(one, other), Math.max(one, other)];
      expect(order.indexOf(phaseAt(life, earlier))).toBeLessThanOrEqual(order.indexOf(phaseAt(life, later)));
    }),
  );
});
