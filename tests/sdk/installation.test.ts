import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isFoundFrom, whyTooOld } from "../../sdk/installation";
import { root } from "../../tools/bootstrap/paths";

describe("The version of @pulumi/pulumi", () => {
  test.each(["3.139.0", "3.139.1", "3.270.0", "4.0.0", "3.140.0-alpha.1"])("%s will do", (version) => {
    expect(whyTooOld(version)).toBeUndefined();
  });

  test.each(["3.138.9", "3.40.0", "2.200.0"])("%s is refused in one sentence", (version) => {
    expect(whyTooOld(version)).toBe(
      `pulumi-gpufleet needs @pulumi/pulumi 3.139.0 or later, and this program has ${version}: run \`npm install @pulumi/pulumi@latest\` in the program's folder.`,
    );
  });

  test("is the one that package.json asks for", () => {
    const { peerDependencies } = require("../../package.json");
    expect(peerDependencies["@pulumi/pulumi"]).toBe("^3.139.0");
  });
});

test("The package is found from its own folder, and not from a folder that has nothing to do with it", () => {
  const elsewhere = mkdtempSync(join(tmpdir(), "gpufleet-"));
  expect([isFoundFrom(root), isFoundFrom(elsewhere)]).toEqual([true, false]);
  rmSync(elsewhere, { recursive: true });
});
