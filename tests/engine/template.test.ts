import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { root } from "../../tools/bootstrap/paths";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";

const template = join(root, "templates", "gpu-fleet");
const manifest = z.object({
  name: z.string(),
  version: z.string().optional(),
  dependencies: z.record(z.string(), z.string()),
  peerDependencies: z.record(z.string(), z.string()).optional(),
});
const readManifest = (folder: string) => manifest.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));

describe("pulumi new with the template", () => {
  let emulated: EmulatedWorkspace;

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({ program: "", project: "my-fleet" });
    const { workspace } = emulated;
    rmSync(join(workspace.folder, "index.js"));
    const answers = ["--name", "my-fleet", "--description", "Mine", "--dir", workspace.folder];
    await workspace.succeed("new", template, "--yes", "--offline", "--generate-only", "--force", ...answers);
  });

  afterAll(() => emulated.dispose());

  test("gives a project that depends on the Pulumi that the package asks for, and names the file of this version", () => {
    const { name, dependencies } = readManifest(emulated.workspace.folder);
    const own = readManifest(root);
    expect(name).toBe("my-fleet");
    expect(dependencies).toEqual({ "@pulumi/pulumi": own.peerDependencies?.["@pulumi/pulumi"] });
    const file = `npm install <checkout>/pulumi-gpufleet-${own.version}.tgz`;
    for (const page of ["Pulumi.yaml", "README.md"]) expect(readFileSync(join(template, page), "utf8")).toContain(file);
  });

  test("comes up as it is, is then unchanged, and goes without a trace", async () => {
    const { workspace, emulator } = emulated;
    const billing = () => emulator.state().filter((object) => object.billing);
    expect(await workspace.up()).toMatchObject({ code: 0 });
    expect(billing()).toHaveLength(2);
    expect(await workspace.up()).toMatchObject({
      code: 0,
      summary: { created: 0, updated: 0, replaced: 0, deleted: 0 },
    });
    expect(await workspace.destroy()).toMatchObject({ code: 0 });
    expect(billing()).toEqual([]);
  });
});
