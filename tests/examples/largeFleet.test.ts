import { Progress } from "../../examples/large-fleet/progress";
import { spread } from "../../examples/large-fleet/spread";

describe("A large fleet is spread over stacks", () => {
  test.each([
    { present: [], count: 5, sizes: [2, 2, 1] },
    { present: [2, 2, 1], count: 5, sizes: [2, 2, 1] },
    { present: [2, 1], count: 6, sizes: [2, 2, 2] },
    { present: [2, 2, 2], count: 3, sizes: [2, 1, 0] },
    // Stacks that were made with another size stay as they are.
    { present: [5, 1], count: 7, sizes: [5, 2] },
    { present: [0, 2], count: 3, sizes: [1, 2] },
    { present: [2, 2], count: 0, sizes: [0, 0] },
  ])("$present become $sizes for $count machines, two to a stack", ({ present, count, sizes }) => {
    expect(spread(present, count, 2)).toEqual(sizes);
  });

  test("whatever there is: growing takes from no stack, shrinking adds to none, and the sum is right", () => {
    const presents = [[], [200], [200, 13], [7, 0, 450], [1, 1, 1, 1]];
    for (const present of presents) {
      for (const count of [0, 1, 199, 200, 201, 1234]) {
        const sizes = spread(present, count, 200);
        const had = present.reduce((sum, size) => sum + size, 0);
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(count);
        const changes = sizes.map((size, part) => size - (present[part] ?? 0));
        expect(changes.every((change) => (count >= had ? change >= 0 : change <= 0))).toBe(true);
      }
    }
  });
});

test("The progress of several stacks is one line", () => {
  const lines: string[] = [];
  const progress = new Progress("up", { stacks: 2, changes: 3 }, (line, isLast) =>
    lines.push(`${line}${isLast ? "." : ""}`),
  );
  const done = (op: string, type = "BareMetalRental") => ({
    op,
    type: `pulumi-nodejs:dynamic/gpufleet:${type}`,
  });
  progress.start("part-0", 2);
  progress.start("part-1", 1);
  progress.heed("part-0", done("create"));
  progress.heed("part-0", done("same"));
  progress.heed("part-1", done("create", "FleetReady"));
  progress.finish("part-1", false);
  progress.heed("part-0", done("create"));
  progress.finish("part-0", true);
  expect(lines).toEqual([
    "up: 1 of 3 machines; 0 of 2 stacks done; running: part-0 1/2, part-1 0/1",
    "up: 1 of 3 machines; 0 of 2 stacks done; 1 failed; running: part-0 1/2",
    "up: 2 of 3 machines; 1 of 2 stacks done; 1 failed.",
  ]);
});
