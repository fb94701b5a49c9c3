import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../../tools/bootstrap/paths";
import { blocksOf, listPages } from "../docs/pages";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";

const gpufleet = join(root, "bin", "gpufleet");

/** The only block of this kind on a page. */
function blockOf(page: string, kind: string): string {
  const found = listPages()
    .filter(({ file }) => file === page)
    .flatMap(blocksOf)
    .filter(({ language }) => language === kind);
  if (found.length !== 1 || !found[0]) throw new Error(`${page} has ${found.length} blocks of ${kind}, not one`);
  return found[0].code;
}

describe.each([["docs/first-machine.md"], ["README.md"]])("The first machine, as %s has it", (page) => {
  let emulated: EmulatedWorkspace;

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({ program: "", project: "first-machine" });
    const { workspace } = emulated;
    rmSync(join(workspace.folder, "index.js"));
    workspace.write("index.ts", blockOf(page, "ts"));
    workspace.write("package.json", '{ "name": "first-machine", "main": "index.ts" }');
    const project = page.startsWith("docs") ? blockOf(page, "yaml") : "name: first-machine\nruntime: nodejs\n";
    workspace.write("Pulumi.yaml", project);
  });

  afterAll(() => emulated.dispose());

  test("is up, can be logged in to, costs what is told, and is gone after destroy", async () => {
    const { workspace, emulator } = emulated;
    // Not synchronously: the emulator is in this process.
    const run = async (...args: string[]) =>
      (await promisify(execFile)(gpufleet, args, { cwd: workspace.folder, env: workspace.env })).stdout;
    const billing = () => emulator.state().filter((object) => object.billing);

    expect(await workspace.up()).toMatchObject({ code: 0 });
    expect(billing()).toHaveLength(1);
    expect(await workspace.succeed("stack", "output", "ssh")).toMatchObject({
      stdout: expect.stringMatching(/^ssh -p \d+ \w+@\S+\n$/),
    });
    expect(await run("cost")).toContain("box");
    expect(await workspace.destroy()).toMatchObject({ code: 0 });
    expect(billing()).toEqual([]);
    expect(await run("orphans")).toContain("No orphans");
  });
});
