import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../../tools/bootstrap/paths";
import { findPatch, withPatch } from "./patch";
import { plantedBugs } from "./plantedBugs";

test("there are at least 45 planted bugs, each with a name of its own", () => {
  expect(new Set(plantedBugs.map(({ name }) => name)).size).toBe(plantedBugs.length);
  expect(plantedBugs.length).toBeGreaterThanOrEqual(45);
});

test.each(plantedBugs)("a bug can be planted in exactly one place: $name", (bug) => {
  const { before, after } = findPatch(root, bug);
  expect(after).not.toBe(before);
});

describe("A patch", () => {
  const bug = { name: "no guard", find: "if (left)\n  throw left;", replace: "" };
  let checkout: string;

  beforeEach(() => {
    checkout = mkdtempSync(join(tmpdir(), "gpufleet-patch-test-"));
    for (const folder of ["provider", "sdk", "cli"]) mkdirSync(join(checkout, folder));
  });

  afterEach(() => rmSync(checkout, { recursive: true, force: true }));

  const write = (file: string, text: string) => writeFileSync(join(checkout, file), text);
  const read = (file: string) => readFileSync(join(checkout, file), "utf8");

  test("is found wherever its text stands, and is gone again afterwards", async () => {
    write("cli/moved.ts", "const a = 1;\n    if (left) throw left;\n");
    const patch = findPatch(checkout, bug);
    expect(patch.file).toBe("cli/moved.ts");
    expect(await withPatch(checkout, patch, async () => read("cli/moved.ts"))).toBe("const a = 1;\n    \n");
    expect(read("cli/moved.ts")).toBe("const a = 1;\n    if (left) throw left;\n");
  });

  test("whose text is nowhere is an error that names it and what to correct", () => {
    expect(() => findPatch(checkout, bug)).toThrow(
      'The patch "no guard" does not apply: no file of provider, sdk, cli has its text.\n  if (left)\n  throw left;\n' +
        "Correct its `find` in tests/faults/mutants/plantedBugs.ts.",
    );
  });

  test("whose text stands in two places is an error that names both", () => {
    write("provider/one.ts", "if (left) throw left;");
    write("sdk/other.ts", "if (left) throw left;");
    expect(() => findPatch(checkout, bug)).toThrow(
      'The patch "no guard" does not apply: 2 places have its text: provider/one.ts, sdk/other.ts.',
    );
  });
});
