import { mapAtMost } from "../../../cli/stack/atMost";
import { chooseStacks, matching } from "../../../cli/stack/chooseStacks";

describe("The stacks that a command works on", () => {
  test("are the selected one, or those that are named, each once", async () => {
    expect(await chooseStacks({ cwd: "/p", names: [], all: false })).toEqual([{ cwd: "/p" }]);
    expect(await chooseStacks({ cwd: "/p", names: ["a", "b", "a"], all: false })).toEqual([
      { cwd: "/p", stack: "a" },
      { cwd: "/p", stack: "b" },
    ]);
  });

  test("may be given by a pattern, which fits names with and without their organization", () => {
    const names = ["fleet-1", "fleet-10", "other", "acme/gpu/fleet-2", "fleetx1"];
    expect(matching("fleet-*", names)).toEqual(["fleet-1", "fleet-10", "acme/gpu/fleet-2"]);
    expect(matching("*1", names)).toEqual(["fleet-1", "fleetx1"]);
    expect(matching("fleet.*", ["fleet.a", "fleetxa"])).toEqual(["fleet.a"]);
    expect(() => matching("prod-*", ["dev", "test"])).toThrow(
      'no stack of this project matches "prod-*". It has dev, test.',
    );
  });

  test("are either named or all of them", async () => {
    await expect(chooseStacks({ cwd: "/p", names: ["a"], all: true })).rejects.toThrow(
      "--all-stacks and --stack cannot be combined",
    );
  });

  test("are read a few at a time, and come in their order", async () => {
    let running = 0;
    let most = 0;
    const results = await mapAtMost(3, [5, 4, 3, 2, 1], async (ticks) => {
      running += 1;
      most = Math.max(most, running);
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
      running -= 1;
      return ticks * 10;
    });
    expect({ results, most }).toEqual({ results: [50, 40, 30, 20, 10], most: 3 });
  });
});
