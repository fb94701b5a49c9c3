import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { runPulumi } from "../../../cli/stack/pulumi";

describe("A command of pulumi", () => {
  const folder = mkdtempSync(join(tmpdir(), "gpufleet-pulumi-"));
  const path = process.env["PATH"];

  /** A `pulumi` that first fails with this, as often as that, and then prints a state. */
  const failing = (reason: string, times: number) => {
    rmSync(join(folder, "calls"), { force: true });
    const script = `#!/bin/sh
echo >> "${folder}/calls"
[ "$(wc -l < "${folder}/calls")" -gt ${times} ] && echo '{}' && exit 0
echo "error: ${reason}" >&2
exit 255`;
    writeFileSync(join(folder, "pulumi"), script);
    chmodSync(join(folder, "pulumi"), 0o755);
  };

  beforeAll(() => {
    process.env["PATH"] = `${folder}${delimiter}${path}`;
  });

  afterAll(() => {
    process.env["PATH"] = path;
    rmSync(folder, { recursive: true });
  });

  const halfWritten = [
    "failed to load checkpoint: place 1: unexpected end of JSON input",
    "failed to load checkpoint: EOF",
  ];

  test.each(halfWritten)("is run again where the state was just being written: %s", async (reason) => {
    failing(reason, 2);
    expect(await runPulumi({ cwd: folder }, ["stack", "export"])).toBe("{}\n");
  });

  test.each(halfWritten)("fails in the end where it stays like that, and says what to do: %s", async (reason) => {
    failing(reason, 3);
    await expect(runPulumi({ cwd: folder }, ["stack", "export"])).rejects.toThrow(
      `\`pulumi stack export\` failed: ${reason}. If no run is under way, one was killed while it wrote: `,
    );
  });

  test("fails at once for any other reason", async () => {
    failing("no stack named 'dev' found", 1);
    await expect(runPulumi({ cwd: folder }, ["stack", "export"])).rejects.toThrow("no stack named 'dev' found");
  });
});
