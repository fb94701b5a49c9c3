import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../tools/bootstrap/paths";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";

describe("The large fleet", () => {
  let emulated: EmulatedWorkspace;
  let folder: string;

  beforeAll(async () => {
    // Only for its folder, its backend and its environment: the script brings its own stacks.
    emulated = await createEmulatedWorkspace({ program: "" });
    folder = join(emulated.workspace.folder, "large-fleet");
    cpSync(join(root, "examples", "large-fleet"), folder, { recursive: true });
  });
  afterAll(() => emulated.dispose());

  function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const env = { ...emulated.workspace.env, GPUFLEET_BASE_URL: emulated.url };
    return new Promise((resolve) => {
      execFile(process.execPath, args, { cwd: folder, env }, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
      );
    });
  }
  const script = (...args: string[]) => run("--require", "ts-node/register", join(folder, "index.ts"), ...args);
  const gpufleet = (...args: string[]) => run(join(root, "bin", "gpufleet"), ...args);
  /** Ids of what bills, by the machine's name. */
  const machines = () =>
    Object.fromEntries(
      emulated.emulator
        .state()
        .flatMap(({ billing, label, id }) => (billing ? [[label?.replace(/(-[a-z2-7]+){3}$/, ""), id]] : [])),
    );

  test("grows over stacks within one limit, keeps what is there, is read as one, shrinks from the end and goes as one", async () => {
    const up = (count: number, limit: number) =>
      script("up", String(count), "--per-stack", "2", "--max-cost-per-hour", String(limit));
    // Nothing has a price before the first machine: the smallest part goes first, and must not cost more than its share.
    const tooMuch = await up(3, 50);
    expect(tooMuch.code).toBe(1);
    expect(tooMuch.stderr).toContain(
      'part-1: creating BareMetalRental "part-1-0": the fleet of 1 would cost $19.92/h, more than its maxCostPerHour of $16.66/h. It was terminated immediately.',
    );
    expect(tooMuch.stderr).not.toContain("part-0");
    expect(machines()).toEqual({});

    expect((await up(2, 60)).stdout).toMatch(/^2 machines in 1 stacks, \$39\.84\/h\n/);
    const two = machines();
    const grown = await up(3, 60);
    expect(grown.stdout).toMatch(
      /^3 machines in 2 stacks, \$59\.76\/h\n {2}1 Running in eu-west-3\n {2}2 Running in us-central-1\n$/,
    );
    expect(grown.stderr).toMatch(/; 2 of 2 stacks done$/m);
    const three = machines();
    expect(three).toMatchObject(two);
    expect(Object.keys(three).sort()).toEqual(["part-0-0", "part-0-1", "part-1-0"]);

    expect(await up(5, 60)).toMatchObject({
      code: 1,
      stderr: "refused, nothing was changed: 5 machines would cost $99.60/h, more than the limit of $60.00/h\n",
    });
    expect(machines()).toEqual(three);

    const cost = await gpufleet("cost", "--cwd", "work", "--all-stacks", "--json");
    expect(JSON.parse(cost.stdout)).toMatchObject({
      stacks: [{ name: "large-fleet/part-0" }, { name: "large-fleet/part-1" }],
      inStacks: { perHour: 59.76, unknown: 0 },
      elsewhere: { resources: [] },
    });
    expect(await gpufleet("orphans", "--cwd", "work", "--stack", "part-*")).toEqual({
      code: 0,
      stdout: "No orphans: everything that these 2 stacks created is in a state.\n",
      stderr: "",
    });

    expect((await up(1, 60)).stdout).toMatch(/^1 machines in 1 stacks/);
    expect(machines()).toEqual({ "part-0-0": three["part-0-0"] });
    expect(await script("destroy")).toMatchObject({ code: 0, stdout: "0 machines in 0 stacks, $0.00/h\n" });
    expect(machines()).toEqual({});
  });
});
