import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../tools/bootstrap/paths";
import { plantedBugs } from "./plantedBugs";

test("there are more than twenty planted bugs, each with a name of its own", () => {
  expect(new Set(plantedBugs.map(({ name }) => name)).size).toBe(plantedBugs.length);
  expect(plantedBugs.length).toBeGreaterThan(20);
});

test.each(plantedBugs)("a bug can be planted in exactly one place: $name", ({ file, find, replace }) => {
  expect(readFileSync(join(root, file), "utf8").split(find)).toHaveLength(2);
  expect(replace).not.toBe(find);
});
