import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installPlugin } from "../../../../cli/commands/plugin/install";
import { packageVersion } from "../../../../provider/shared/packageVersion";

describe("gpufleet plugin install", () => {
  const folder = mkdtempSync(join(tmpdir(), "gpufleet-plugin-"));
  const name = "pulumi-resource-gpufleet";
  const install = (content: string) => {
    for (const file of [name, `${name}.cmd`, "main.js"]) writeFileSync(join(folder, file), content);
    return installPlugin({ PULUMI_HOME: join(folder, "home") }, folder);
  };

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("puts the plugin, and nothing else, where the engine looks for this version", () => {
    const installed = install("first");
    expect(installed).toEqual({
      version: packageVersion(),
      folder: join(folder, "home", "plugins", `resource-gpufleet-v${packageVersion()}`),
    });
    expect(readdirSync(installed.folder)).toEqual([name, `${name}.cmd`]);
    expect(statSync(join(installed.folder, name)).mode & 0o111).toBe(0o111);
  });

  test("replaces what was there, and leaves nothing behind", () => {
    const installed = install("second");
    expect(readFileSync(join(installed.folder, name), "utf8")).toBe("second");
    expect(readdirSync(join(folder, "home", "plugins"))).toEqual([`resource-gpufleet-v${packageVersion()}`]);
  });
});
