import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { composeComment } from "../../../../cli/commands/comment/compose";

/** As when the stack does not exist: `pulumi preview` prints nothing but an error. */
describe("A preview that has printed nothing", () => {
  let folder: string;
  let preview: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "gpufleet-failed-"));
    writeFileSync(join(folder, "Pulumi.yaml"), "name: fleet\nruntime: nodejs\n");
    preview = join(folder, "preview.json");
    writeFileSync(preview, "");
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  async function comment(said: string, more: { stack?: string; forbidDataLoss?: boolean } = {}) {
    const errors = join(folder, "errors.txt");
    writeFileSync(errors, said);
    return composeComment({ preview, errors, format: "markdown", cwd: folder, ...more }, {});
  }

  test("gives a comment that says why, which the next one of the stack replaces, and keeps to no limit", async () => {
    const stack = "acme/fleet/dev";
    const { text, refused } = await comment("error: no stack named 'dev' found\n", { stack, forbidDataLoss: true });
    expect(text.split("\n").slice(0, 7)).toEqual([
      "<!-- gpufleet-comment fleet/dev -->",
      "### ❌ The preview failed: cost and data loss are unknown",
      "",
      "<sub>GPU fleet `fleet/dev`</sub>",
      "",
      "> [!CAUTION]",
      "> **Errors.** The rest of this comment is incomplete.",
    ]);
    expect(text).toContain("no stack named 'dev' found. To create it, once: pulumi stack init acme/fleet/dev");
    expect(refused).toEqual(["the preview failed, so what would be lost is unknown"]);
  });

  test("is an error without what it said", async () => {
    await expect(composeComment({ preview, format: "markdown", cwd: folder }, {})).rejects.toThrow("it is empty");
    expect((await comment("")).text).toContain("`pulumi preview` printed nothing");
  });
});
