import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";

const program = `
  const { BareMetalRental } = require("pulumi-gpufleet");
  for (const name of ["one", "two"]) new BareMetalRental(name, { networkType: "infiniband", gpuCount: 8 });
`;

describe("Progress on the real engine", () => {
  let emulated: EmulatedWorkspace;

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({ program, emulator: { provisionSeconds: 5, endSeconds: 3 } });
  });

  afterAll(() => emulated.dispose());

  const row = (name: string, doing: string, status: string) =>
    new RegExp(`BareMetalRental ${name} ${doing} \\(\\d+s\\) ${status} \\d+s, 8×h100 in us-central-1, \\$19\\.92/h`);
  /** The part after the last row: what stays on a terminal. */
  const final = (output: string) => output.slice(output.search(/^(Diagnostics|Outputs|Resources):/m));

  test("shows on each resource's own row while it waits, and leaves nothing in the final output", async () => {
    const { code, output } = await emulated.workspace.up();
    expect(code).toBe(0);
    for (const name of ["one", "two"]) expect(output).toMatch(row(name, "creating", "Pending"));
    expect(final(output)).not.toMatch(/Pending|Running|us-central-1/);
    expect(output).not.toContain("Diagnostics:");
  });

  test("shows while it ends, too", async () => {
    const { code, output } = await emulated.workspace.destroy();
    expect(code).toBe(0);
    expect(output).toMatch(row("one", "deleting", "Terminating"));
    expect(output).not.toContain("Diagnostics:");
  });

  test("is not lost to a first ^C: what is being made is recorded before the run ends", async () => {
    const run = emulated.workspace.start("up", "--yes", "--skip-preview");
    await run.waitForOutput(row("one", "creating", "Pending"));
    await run.waitForOutput(row("two", "creating", "Pending"));
    run.interrupt();
    const { code } = await run.finished;
    expect(code).not.toBe(0);
    const { resources, pending_operations } = emulated.workspace.exportState().deployment;
    expect(pending_operations).toEqual([]);
    const kept = resources.filter(({ type }) => type.endsWith(":BareMetalRental"));
    expect(kept.map(({ outputs }) => outputs["status"])).toEqual(["Running", "Running"]);
    expect(new Set(kept.map(({ id }) => Number(id)))).toEqual(
      new Set(emulated.emulator.state().flatMap(({ billing, id }) => (billing ? [id] : []))),
    );
    expect(await emulated.workspace.up()).toMatchObject({ code: 0, summary: { unchanged: 3 } });
    await emulated.workspace.destroy();
    expect(emulated.emulator.state().filter(({ billing }) => billing)).toEqual([]);
  });
});
