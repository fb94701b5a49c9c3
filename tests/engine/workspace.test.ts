import { existsSync } from "node:fs";
import { join } from "node:path";
import { Workspace, waitUntil } from "../../tools/workspace";

/** Its create tells that it was called, and never answers. */
const program = `
  const pulumi = require("@pulumi/pulumi");
  const provider = {
    async create() {
      require("node:fs").writeFileSync("create-was-called", "");
      await new Promise((resolve) => setTimeout(resolve, 600_000));
    },
  };
  new pulumi.dynamic.Resource(provider, "stuck", { color: new pulumi.Config("paint").require("color") });
`;

describe("A workspace whose run is killed in the middle of a create", () => {
  let workspace: Workspace;

  beforeAll(async () => {
    workspace = await Workspace.create({ program, config: { "paint:color": "--blue" } });
  });

  afterAll(() => workspace.dispose());

  test("keeps the create in the state as pending, and the provider's process goes on", async () => {
    const run = workspace.start("up", "--yes", "--skip-preview");
    // The engine says "creating" before it has written the state, and calls create after.
    await run.waitForOutput(/Resource stuck creating/);
    await waitUntil("create is called", () => existsSync(join(workspace.folder, "create-was-called")));
    await run.kill();
    expect((await run.finished).code).toBe(137);
    const { deployment } = workspace.exportState();
    expect(deployment.pending_operations).toMatchObject([
      { type: "creating", resource: { inputs: { color: "--blue" } } },
    ]);
    expect(workspace.processes()).not.toEqual([]);
  });

  test("leaves neither files nor processes once disposed of", async () => {
    await workspace.dispose();
    expect(workspace.processes()).toEqual([]);
    expect(existsSync(workspace.folder)).toBe(false);
  });
});
