import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../../tools/bootstrap/paths";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";

describe("The automation example", () => {
  let emulated: EmulatedWorkspace;
  beforeAll(async () => {
    // Only for its folder, its backend and its environment: the script brings its own stack.
    emulated = await createEmulatedWorkspace({ program: "" });
  });
  afterAll(() => emulated.dispose());

  test("scales a fleet up and down, reads its state and takes it down, as a plain script", async () => {
    const { workspace, emulator, url } = emulated;
    const folder = join(workspace.folder, "automation");
    cpSync(join(root, "examples", "automation"), folder, { recursive: true });
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--require", "ts-node/register", join(folder, "index.ts")],
      { cwd: folder, env: { ...workspace.env, GPUFLEET_BASE_URL: url } },
    );
    const lines = stdout.split("\n").filter((line) => !line.startsWith("  "));
    expect(lines).toEqual([
      expect.stringMatching(/^fleet of 2, \$39\.84\/h, .*"create":6/),
      expect.stringMatching(/^fleet of 4, \$79\.68\/h, .*"create":2/),
      expect.stringMatching(/^fleet of 1, \$19\.92\/h, .*"delete":3/),
      "nothing is left",
      "",
    ]);
    expect(stdout).toMatch(/^ {2}batch-1 Running in eu-west-3: ssh -p \d+ ubuntu@127\.0\.0\.1$/m);
    expect(emulator.state().filter(({ kind }) => kind === "bare-metal")).toHaveLength(4);
    expect(emulator.state().filter(({ billing }) => billing)).toEqual([]);
  });
});
